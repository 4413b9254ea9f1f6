/*
 * clahe_u8 in plain C: places between tiles from a table, and the division by V in floating point:
 * floor((G R + 2^15 V) / 2^16) / V is a quotient of integers below 2^17 and 2^8, which float rounds
 * down rightly (docs/numerics.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u8.h"
#include "image/pixels_inline.h"

/* (n) values of G from x of row y on, for V in v. */
static void mix_block(uint32_t *restrict g, const uint8_t *restrict v, const sac_clahe *c,
                      int64_t x0, int64_t y, int64_t n)
{
    size_t bins = (size_t)c->bins, row = (size_t)c->tiles_x * bins;
    sac_clahe_place py = sac_clahe_at(y, c->h, c->tiles_y);
    const uint32_t *top = c->level + (size_t)py.first * row;
    const uint32_t *bottom = c->level + (size_t)py.second * row;
    for (int64_t i = 0; i < n; i++) {
        sac_clahe_place px = c->column[x0 + i];
        size_t bin = (size_t)((uint64_t)v[i] * bins >> 8);
        size_t first = (size_t)px.first * bins + bin, second = (size_t)px.second * bins + bin;
        g[i] = sac_clahe_mix(top[first], top[second], bottom[first], bottom[second], px.weight,
                             py.weight);
    }
}

/* g x + 2^15 v <= 2^16 255^2 + 2^15 255 < 2^32. */
static inline uint8_t scale(uint32_t g, uint8_t x, float v)
{
    return (uint8_t)((float)((g * x + ((uint32_t)v << 15)) >> 16) / v);
}

/* n pixels of `step` samples each; alpha, if there is one, is sample `alpha` and stays: G / V = 1.
 */
static inline void scale_dense(uint8_t *to, const uint8_t *from, const uint32_t *g, const float *v,
                               int n, int step, int alpha)
{
    uint32_t level[4 * SAC_BLOCK];
    float divisor[4 * SAC_BLOCK];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < step; c++) {
            level[i * step + c] = c == alpha ? UINT32_C(1) << SAC_CLAHE_LEVEL_BITS : g[i];
            divisor[i * step + c] = c == alpha ? 1 : v[i];
        }
    for (int i = 0; i < n * step; i++)
        to[i] = scale(level[i], from[i], divisor[i]);
}

static void scale_block(const sac_pixels *out, const sac_pixels *in, const uint32_t *g,
                        const float *v, int64_t x, int64_t y, int n, int step)
{
    const uint8_t *from = step ? sac_low_color_u8(in, x, y) : NULL;
    uint8_t *to = step ? sac_out_u8(out, 0, x, y) + (from - sac_row_u8(in, 0, x, y)) : NULL;
    if (step == 3)
        scale_dense(to, from, g, v, n, 3, -1);
    else if (step == 4)
        scale_dense(to, from, g, v, n, 4, 3);
    for (int c = 0; step == 0 && c < in->n_colors; c++) {
        from = sac_row_u8(in, c, x, y);
        to = sac_out_u8(out, c, x, y);
        for (int i = 0; i < n; i++)
            to[i * out->pixel] = scale(g[i], from[i * in->pixel], v[i]);
    }
}

void sac_clahe_u8_plain(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c, int64_t y0)
{
    uint8_t v[SAC_BLOCK];
    uint32_t g[SAC_BLOCK];
    float divisor[SAC_BLOCK];
    int step = in->n_colors == 3 ? sac_dense_step_u8(out, in) : 0;
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax_u8(v, in, x, y, n);
            mix_block(g, v, c, x, y0 + y, n);
            for (int64_t i = 0; i < n; i++) {
                g[i] = v[i] ? g[i] : 0; /* black: 0 / 1 */
                divisor[i] = v[i] ? v[i] : 1;
            }
            scale_block(out, in, g, divisor, x, y, (int)n, step);
        }
    if (step == 0)
        sac_copy_alpha(out, in, 1);
}
