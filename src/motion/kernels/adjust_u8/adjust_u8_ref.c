/*
 * adjust_u8, the specification: a sample at a time, in 64 bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "adjust_u8.h"
#include "image/pixels_inline.h"

static int64_t luma(const sac_pixels *p, int64_t x, int64_t y)
{
    const int green = p->n_colors == 3 ? 1 : 0, blue = p->n_colors == 3 ? 2 : 0;
    return SAC_LUMA_RED * *sac_row_u8(p, 0, x, y) + SAC_LUMA_GREEN * *sac_row_u8(p, green, x, y) +
           SAC_LUMA_BLUE * *sac_row_u8(p, blue, x, y);
}

/* floor(a / b) for b > 0. */
static int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static uint8_t adjust(int64_t c, int64_t luma_128, const sac_adjust_mix *m)
{
    const int64_t one = INT64_C(1) << m->shift;
    const int64_t v = floor_of(128 * m->p * c + m->q * luma_128 + 4 * one * m->o, 128 * one);
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

void sac_adjust_u8_ref(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *mix)
{
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x++) {
            const int64_t luma_128 = luma(in, x, y);
            for (int c = 0; c < in->n_colors; c++)
                *sac_out_u8(out, c, x, y) = adjust(*sac_row_u8(in, c, x, y), luma_128, mix);
        }
    sac_copy_alpha(out, in, 1);
}
