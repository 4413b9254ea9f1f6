/*
 * For the tests of frame assemblers: fragments of frames, and how they are given.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_FRAME_ASSEMBLER_H
#define SAC_TESTS_TEST_FRAME_ASSEMBLER_H

#include "counts.h"
#include "frame_scene.h"

#include <math.h>

#include "base/alloc.h"
#include "net/faults.h"
#include "net/wire.h"

enum { W = 12, H = 10, PIXELS = W * H };

static const sac_packet_source home = {{127, 1}, 4000}, elsewhere = {{127, 1}, 4001};

static inline sac_packet_kind give(sac_frame_assembler *a, const uint8_t *bytes, size_t n,
                                   const sac_packet_source *from, int64_t now_ns)
{
    uint8_t *exact = malloc(n ? n : 1); /* a sanitizer sees what reads beyond */
    memcpy(exact, bytes, n);
    sac_packet_kind kind = sac_frame_assembler_take(a, exact, n, from, now_ns);
    free(exact);
    return kind;
}

/* A fragment of a frame; its bytes. */
static inline size_t write_part(uint8_t *bytes, const sac_frame_packet *p,
                                const sac_packet_key *key)
{
    uint8_t pixels[PIXELS];
    size_t offset = 0, size = 0;
    scene_draw(pixels, p->counter, PIXELS);
    assert_true(sac_frame_packet_part(p, &offset, &size));
    assert_true(sac_frame_packet_head(bytes, p, pixels + offset, key));
    memcpy(bytes + SAC_PACKET_HEADER, pixels + offset, size);
    return SAC_PACKET_HEADER + size;
}

static inline sac_frame_packet a_part(uint64_t counter, int32_t fragment, int32_t n)
{
    sac_meltpool_signals s = scene_signals(counter);
    return (sac_frame_packet){.stream = STREAM,
                              .counter = counter,
                              .sent_ns = (int64_t)counter,
                              .laser_on = s.laser_on,
                              .x = s.x,
                              .y = s.y,
                              .w = W,
                              .h = H,
                              .fragment = fragment,
                              .n_fragments = n};
}

static inline sac_packet_kind give_part(sac_frame_assembler *a, uint64_t counter, int32_t fragment,
                                        int32_t n)
{
    uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
    sac_frame_packet p = a_part(counter, fragment, n);
    return give(a, bytes, write_part(bytes, &p, NULL), &home, 0);
}

static inline sac_frame_assembler *open_assembler(const sac_frame_receiver_desc *desc)
{
    sac_frame_assembler *a = NULL;
    sac_error err = {0};
    assert_ok(sac_frame_assembler_open(&a, desc, &err), &err);
    return a;
}

#endif
