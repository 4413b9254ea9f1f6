/*
 * vhist_u8 by pairs of pixels: one count for two values, in 65,536 counters. Half the stores, but
 * the counters fill a quarter of a megabyte, and flat areas count into one place again and again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "equalize/kernels/vhist_u8/vhist_u8.h"
#include "image/vmax_inline.h"

void sac_vhist_u8_pairs(uint32_t *hist, const sac_pixels *in)
{
    static _Thread_local uint32_t pairs[65536];
    uint8_t v[SAC_BLOCK];
    memset(hist, 0, 256 * sizeof *hist);
    memset(pairs, 0, sizeof pairs);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK, i = 0;
            sac_vmax(v, in, x, y, n);
            for (; i + 2 <= n; i += 2) {
                uint16_t pair;
                memcpy(&pair, v + i, 2);
                pairs[pair]++;
            }
            for (; i < n; i++)
                hist[v[i]]++;
        }
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            hist[a] += pairs[256 * a + b];
            hist[b] += pairs[256 * a + b];
        }
}
