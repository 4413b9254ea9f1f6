/*
 * vhist_u8 in plain C: V of a block into the L1 cache, then counted into eight tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/vmax_inline.h"
#include "vhist_u8.h"
#include "vhist_u8_count.h"

void sac_vhist_u8_plain(uint32_t *hist, const sac_pixels *in)
{
    tables t = {0};
    uint8_t v[SAC_BLOCK];
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax(v, in, x, y, n);
            count(&t, v, n);
        }
    total(hist, &t);
}
