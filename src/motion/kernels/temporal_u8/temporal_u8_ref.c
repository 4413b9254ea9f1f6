/*
 * temporal_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "motion/kernels/samples_inline.h"
#include "temporal_u8.h"

void sac_temporal_u8_ref(const sac_samples *out, uint16_t *state, const sac_samples *in,
                         const uint16_t *keep)
{
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++)
            for (int32_t c = 0; c < in->n_channels; c++, state++) {
                int64_t now = 256 * *sac_sample_of(in, x, y, c), past = *state;
                int64_t m = llabs(now - past), rest = keep[(m + 128) / 256] * m / 65536;
                int64_t next = past > now ? now + rest : now - rest;
                *state = (uint16_t)next;
                *sac_sample_of(out, x, y, c) = (uint8_t)((next + 128) / 256);
            }
}
