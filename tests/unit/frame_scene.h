/*
 * Frames whose every pixel tells their counter, and a sink that looks at each of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_FRAME_SCENE_H
#define SAC_TESTS_FRAME_SCENE_H

#include <inttypes.h>
#include <stdlib.h>

#include <saccade/frame_link.h>

#include "unit.h"

#define STREAM UINT64_C(0x1122334455667788)

static inline uint8_t scene_pixel(uint64_t counter, size_t i)
{
    uint64_t x =
        (counter + 1) * UINT64_C(0x9e3779b97f4a7c15) + i / 8 * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint8_t)(x >> (24 + 4 * (i % 8)));
}

static inline void scene_draw(uint8_t *pixels, uint64_t counter, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pixels[i] = scene_pixel(counter, i);
}

static inline sac_meltpool_signals scene_signals(uint64_t counter)
{
    return (sac_meltpool_signals){(int32_t)(counter % 7 != 0), (int32_t)counter,
                                  -(int32_t)(counter % 100000), (int32_t)(counter * 3 % 65536)};
}

/* What came of a stream. */
typedef struct scene_sink {
    size_t n_pixels;
    uint8_t *slot;
    uint8_t *came; /* (n_frames) times each did */
    uint64_t n_frames;
    int64_t frames, mixed, repeated, strange;
    bool full; /* refuses */
    uint64_t last_counter;
} scene_sink;

static inline uint8_t *scene_slot(void *ctx)
{
    scene_sink *s = ctx;
    return s->full ? NULL : s->slot;
}

static inline bool scene_complete(void *ctx, const sac_frame_arrival *a)
{
    scene_sink *s = ctx;
    if (s->full)
        return false;
    s->frames++;
    s->last_counter = a->counter;
    sac_meltpool_signals want = scene_signals(a->counter);
    bool right = memcmp(&want, &a->signals, sizeof want) == 0;
    for (size_t i = 0; i < s->n_pixels; i++)
        right &= s->slot[i] == scene_pixel(a->counter, i);
    s->mixed += !right;
    if (a->counter < s->n_frames)
        s->repeated += ++s->came[a->counter] > 1;
    else
        s->strange++;
    return true;
}

static inline scene_sink scene_open(int32_t w, int32_t h, uint64_t n_frames)
{
    scene_sink s = {.n_pixels = (size_t)w * (size_t)h, .n_frames = n_frames};
    s.slot = malloc(s.n_pixels);
    s.came = calloc(n_frames + 1, 1);
    assert_non_null(s.slot);
    assert_non_null(s.came);
    return s;
}

static inline void scene_close(scene_sink *s)
{
    assert_int_equal(s->mixed, 0);
    assert_int_equal(s->repeated, 0);
    assert_int_equal(s->strange, 0);
    free(s->slot);
    free(s->came);
}

static inline sac_frame_receiver_desc scene_desc(int32_t w, int32_t h, scene_sink *sink)
{
    sac_frame_receiver_desc desc;
    sac_frame_receiver_desc_init(&desc);
    desc.w = w;
    desc.h = h;
    desc.sink = (sac_frame_sink){scene_slot, scene_complete, sink};
    return desc;
}

/* Each datagram is of one kind, each frame that was expected came, was refused or is lost. */
static inline void assert_conserved(const sac_frame_counts *c)
{
    int64_t sum = 0;
    for (int i = 0; i < SAC_PACKET_KINDS; i++)
        sum += c->kinds[i];
    assert_int_equal(sum, c->datagrams);
    assert_int_equal(c->expected, c->frames + c->refused + c->lost);
    assert_true(c->lost >= 0 && c->incomplete <= c->lost);
}

#endif
