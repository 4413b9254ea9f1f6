/*
 * vhist_u8 with one table: what one writes first. Equal neighbors wait for each other's count to be
 * stored.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "equalize/kernels/vhist_u8/vhist_u8.h"
#include "image/pixels_inline.h"

void sac_vhist_u8_single(uint32_t *hist, const sac_pixels *in)
{
    uint8_t v[SAC_BLOCK];
    memset(hist, 0, 256 * sizeof *hist);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax_u8(v, in, x, y, n);
            for (int64_t i = 0; i < n; i++)
                hist[v[i]]++;
        }
}
