/*
 * A histogram of V with one table, in plain C for samples of SAC_DEPTH bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VHIST_SINGLE_H
#define SAC_EQUALIZE_VHIST_SINGLE_H

#include "image/vmax_inline.h"

static inline void sac_vhist_single(uint32_t *hist, const sac_pixels *in)
{
    sac_sample v[SAC_BLOCK];
    memset(hist, 0, sizeof *hist << SAC_DEPTH);
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax(v, in, x, y, n);
            for (int64_t i = 0; i < n; i++)
                hist[v[i]]++;
        }
}

#endif
