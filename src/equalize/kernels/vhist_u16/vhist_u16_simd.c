/*
 * vhist_u16 with vectors: V of a block into the L1 cache, then counted into one table. For packed
 * RGB; other layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#define SAC_DEPTH 16
#include "image/vmax_inline.h"
#include "simd/words.h"
#include "vhist_u16.h"

static inline void count(uint32_t *hist, const uint16_t *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        hist[v[i]]++;
}

void sac_vhist_u16_simd(uint32_t *hist, const sac_pixels *in)
{
    if (in->n_colors != 3 || sac_dense_step(in, in, 2) != 3) {
        SIMD_OTHERWISE(vhist_u16)(hist, in);
        return;
    }
    const ptrdiff_t low = (sac_low_color_u8(in, 0, 0) - sac_row_u8(in, 0, 0, 0)) / 2;
    const int64_t whole = in->w / V16 * V16;
    uint16_t v[SAC_BLOCK];
    memset(hist, 0, 65536 * sizeof *hist);
    for (int64_t y = 0; y < in->h; y++) {
        const uint16_t *row = sac_row_u16(in, 0, 0, y) + low;
        for (int64_t x = 0; x < whole; x += SAC_BLOCK) {
            const int64_t n = whole - x < SAC_BLOCK ? whole - x : SAC_BLOCK;
            for (int64_t i = 0; i < n; i += V16) {
                const v16x3 p = v16_load3(row + 3 * (x + i));
                v16_store(v + i, v16_max(v16_max(p.c[0], p.c[1]), p.c[2]));
            }
            count(hist, v, n);
        }
        sac_vmax(v, in, whole, y, in->w - whole);
        count(hist, v, in->w - whole);
    }
}
