/*
 * vhist_u8 with AVX-512 VBMI for interleaved RGB: V of 64 pixels in six byte permutes and two
 * maxima, and the next block fetched while this one is counted. Gray rows are counted where they
 * lie; other layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "image/rgb_avx512.h"
#include "image/vmax_inline.h"
#include "equalize/kernels/vhist_u8/vhist_u8.h"
#include "equalize/kernels/vhist_u8/vhist_u8_count.h"

/* One row of packed RGB: (n) values of V. */
static inline void vmax_rgb(uint8_t *v, const uint8_t *rgb, int64_t n)
{
    for (int64_t i = 0; i < n; i += 64) {
        sac_rgb64 p = sac_rgb64_load(rgb + 3 * i, n - i);
        __m512i max = _mm512_max_epu8(_mm512_max_epu8(p.c[0], p.c[1]), p.c[2]);
        _mm512_store_si512(v + i, max);
    }
}

void sac_vhist_u8_avx512_tables(uint32_t *hist, const sac_pixels *in)
{
    _Alignas(64) uint8_t v[SAC_BLOCK];
    tables t = {0};
    bool rgb = sac_is_rgb64(in), gray = in->n_colors == 1 && in->pixel == 1;
    for (int64_t y = 0; y < in->h; y++) {
        if (gray) {
            count(&t, sac_row_u8(in, 0, 0, y), in->w);
            continue;
        }
        const uint8_t *row = sac_rgb64_row(in, y);
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            if (rgb)
                vmax_rgb(v, row + 3 * x, n);
            else
                sac_vmax(v, in, x, y, n);
            count(&t, v, n);
        }
    }
    total(hist, &t);
}
