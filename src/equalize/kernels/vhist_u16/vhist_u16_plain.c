/*
 * vhist_u16 in plain C: V of a block into the L1 cache, then counted. 65,536 counters fill a
 * quarter of a megabyte, so one table it is.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "image/pixels_inline.h"
#include "vhist_u16.h"

void sac_vhist_u16_plain(uint32_t *hist, const sac_pixels *in)
{
    uint16_t v[SAC_BLOCK];
    memset(hist, 0, 65536 * sizeof *hist);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax_u16(v, in, x, y, n);
            for (int64_t i = 0; i < n; i++)
                hist[v[i]]++;
        }
}
