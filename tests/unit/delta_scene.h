/*
 * Small videos for the tests of the delta stream, and both ends of a stream.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_DELTA_SCENE_H
#define SAC_TESTS_DELTA_SCENE_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include <saccade/delta.h>

#define FRAME_NS UINT64_C(40000000)

typedef enum scene_kind { NOISE, FLIPS, STILL_NOISY, MOVING, SCENES } scene_kind;

static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Frame i of a scene into (h, w, channels) bytes. */
static inline void draw(uint8_t *frame, scene_kind kind, int64_t w, int64_t h, int32_t channels,
                        uint64_t i)
{
    uint64_t random = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w * channels; x++) {
            uint64_t r = random_next(&random);
            int64_t v = (int64_t)(r >> 56);
            if (kind == FLIPS)
                v = i & 1 ? 255 : 0;
            if (kind == STILL_NOISY)
                v = (x * 3 + y * 5) % 200 + (int64_t)(r >> 59) + (r % 997 == 0 ? 20 : 0);
            if (kind == MOVING)
                v = (x / channels + (int64_t)i * 3 + y / 2) * 7 % 211 + (int64_t)(r >> 61);
            frame[y * w * channels + x] = (uint8_t)v;
        }
}

static inline sac_delta_encode_desc encode_desc(int64_t w, int64_t h, int32_t channels, int32_t t)
{
    sac_delta_encode_desc desc;
    sac_delta_encode_desc_init(&desc);
    desc.w = w;
    desc.h = h;
    desc.n_channels = channels;
    desc.threshold = t;
    desc.n_threads = 1;
    return desc;
}

static inline sac_delta_encode *open_encoder(const sac_delta_encode_desc *desc)
{
    sac_delta_encode *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_delta_encode_open(&plan, desc, &err), &err);
    return plan;
}

static inline sac_delta_decode *open_decoder(int32_t n_threads)
{
    sac_delta_decode_desc desc;
    sac_delta_decode_desc_init(&desc);
    desc.n_threads = n_threads;
    sac_delta_decode *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_delta_decode_open(&plan, &desc, &err), &err);
    return plan;
}

static inline sac_array frame_of(uint8_t *data, int64_t w, int64_t h, int32_t channels)
{
    sac_array array;
    sac_error err = {0};
    const int64_t shape[] = {h, w, channels};
    assert_ok(sac_array_view(&array, data, SAC_U8, channels == 1 ? 2 : 3, shape, &err), &err);
    return array;
}

static inline sac_delta_packet encode(sac_delta_encode *plan, uint8_t *data, int64_t w, int64_t h,
                                      int32_t channels, uint64_t i)
{
    sac_array frame = frame_of(data, w, h, channels);
    sac_delta_packet packet;
    assert_int_equal(sac_delta_encode_run(plan, &packet, &frame, i * FRAME_NS, NULL), SAC_OK);
    return packet;
}

/* The largest difference of any channel. */
static inline int worst_of(const sac_array *picture, const uint8_t *frame, int64_t w, int64_t h,
                           int32_t channels)
{
    int worst = 0;
    assert_int_equal(picture->shape[0], h);
    assert_int_equal(picture->shape[1], w);
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w * channels; x++) {
            const uint8_t *row = (const uint8_t *)picture->data + y * picture->stride[0];
            int d = abs(row[x] - frame[y * w * channels + x]);
            worst = d > worst ? d : worst;
        }
    return worst;
}

/* Whether this build has the delta stream; else the program says so and is skipped. */
static inline bool has_delta(void)
{
    sac_delta_decode *plan = NULL;
    sac_delta_decode_desc desc;
    sac_error err = {0};
    sac_delta_decode_desc_init(&desc);
    desc.n_threads = 1;
    if (sac_delta_decode_open(&plan, &desc, &err) == SAC_E_UNSUPPORTED) {
        skip_part(err.text);
        return false;
    }
    sac_delta_decode_close(&plan);
    return true;
}

#endif
