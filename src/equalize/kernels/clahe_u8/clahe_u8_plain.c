/*
 * clahe_u8 in plain C. floor((G R + 2^15 V) / 2^16) / V is a quotient of integers below 2^17 and
 * 2^8, which float rounds down correctly.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u8.h"
#include "equalize/kernels/clahe_plain.h"

/* g x + 2^15 v <= 2^16 255^2 + 2^15 255 < 2^32. */
static inline uint8_t scale(uint32_t g, uint8_t x, float v)
{
    return (uint8_t)((float)((g * x + ((uint32_t)v << 15)) >> 16) / v);
}

/* n packed pixels of `step` samples. Sample `alpha` of each, if not -1, keeps its value: its factor
 * is 1. */
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
    sac_sample v[SAC_BLOCK];
    uint32_t g[SAC_BLOCK];
    sac_divisor divisor[SAC_BLOCK];
    int step = in->n_colors == 3 ? sac_dense_step_u8(out, in) : 0;
    for (int64_t y = 0; y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax(v, in, x, y, n);
            mix_block(g, v, c, x, y0 + y, n);
            make_divisors(divisor, g, v, n);
            scale_block(out, in, g, divisor, x, y, (int)n, step);
        }
    if (step == 0)
        sac_copy_alpha(out, in, 1);
}
