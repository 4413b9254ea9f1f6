/*
 * clahe_u16 in plain C: places between tiles from a table, and the division by V in floating point:
 * floor((G R + 2^15 V) / 2^16) / V is a quotient of integers below 2^33 and 2^16, which double
 * rounds down rightly (docs/numerics.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u16.h"
#include "image/pixels_inline.h"

/* (n) values of G from x of row y on, for V in v. */
static void mix_block(uint32_t *restrict g, const uint16_t *restrict v, const sac_clahe *c,
                      int64_t x0, int64_t y, int64_t n)
{
    size_t bins = (size_t)c->bins, row = (size_t)c->tiles_x * bins;
    sac_clahe_place py = sac_clahe_at(y, c->h, c->tiles_y);
    const uint32_t *top = c->level + (size_t)py.first * row;
    const uint32_t *bottom = c->level + (size_t)py.second * row;
    for (int64_t i = 0; i < n; i++) {
        sac_clahe_place px = c->column[x0 + i];
        size_t bin = (size_t)((uint64_t)v[i] * bins >> 16);
        size_t first = (size_t)px.first * bins + bin, second = (size_t)px.second * bins + bin;
        g[i] = sac_clahe_mix(top[first], top[second], bottom[first], bottom[second], px.weight,
                             py.weight);
    }
}

static void scale_channel(uint16_t *out, const uint16_t *in, const uint32_t *restrict g,
                          const double *restrict v, int64_t n, ptrdiff_t to, ptrdiff_t from)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t sum = (uint64_t)g[i] * in[i * from] + ((uint64_t)v[i] << 15);
        out[i * to] = (uint16_t)((double)(sum >> 16) / v[i]);
    }
}

void sac_clahe_u16_plain(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c,
                         int64_t y0)
{
    uint16_t v[SAC_BLOCK];
    uint32_t g[SAC_BLOCK];
    double divisor[SAC_BLOCK];
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax_u16(v, in, x, y, n);
            mix_block(g, v, c, x, y0 + y, n);
            for (int64_t i = 0; i < n; i++) {
                g[i] = v[i] ? g[i] : 0; /* black: 0 / 1 */
                divisor[i] = v[i] ? v[i] : 1;
            }
            for (int k = 0; k < in->n_colors; k++)
                scale_channel(sac_out_u16(out, k, x, y), sac_row_u16(in, k, x, y), g, divisor, n,
                              out->pixel / 2, in->pixel / 2);
        }
    sac_copy_alpha(out, in, 2);
}
