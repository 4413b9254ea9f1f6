/*
 * vscale_u8 in plain C: one multiplication per sample instead of the division, in blocks that stay
 * in the L1 cache. If both pictures are packed, each multiplier is copied to all samples of its
 * pixel first, so that one loop multiplies neighbors. Gray is a table of 256 bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/vmax_inline.h"
#include "vscale_u8.h"

#define HALF (UINT32_C(1) << (SAC_SCALE_SHIFT_U8 - 1))

static inline uint8_t scale(uint32_t q, uint8_t x)
{
    return (uint8_t)((q * x + HALF) >> SAC_SCALE_SHIFT_U8);
}

/* n packed pixels of `step` samples. Sample `alpha` of each, if not -1, keeps its value. */
static inline void scale_dense(uint8_t *to, const uint8_t *from, const uint32_t *q8,
                               const uint8_t *v, int n, int step, int alpha)
{
    uint32_t q[4 * SAC_BLOCK];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < step; c++)
            q[i * step + c] = c == alpha ? UINT32_C(1) << SAC_SCALE_SHIFT_U8 : q8[v[i]];
    for (int i = 0; i < n * step; i++)
        to[i] = scale(q[i], from[i]);
}

static void scale_channel(uint8_t *to, const uint8_t *from, const uint32_t *q8, const uint8_t *v,
                          int n, ptrdiff_t to_step, ptrdiff_t from_step)
{
    for (int i = 0; i < n; i++)
        to[i * to_step] = scale(q8[v[i]], from[i * from_step]);
}

static void scale_block(const sac_pixels *out, const sac_pixels *in, const uint32_t *q8, int64_t x,
                        int64_t y, int n, int step)
{
    uint8_t v[SAC_BLOCK];
    sac_vmax(v, in, x, y, n);
    const uint8_t *from = sac_low_color_u8(in, x, y);
    uint8_t *to = sac_out_u8(out, 0, x, y) + (from - sac_row_u8(in, 0, x, y));
    if (step == 3)
        scale_dense(to, from, q8, v, n, 3, -1);
    else if (step == 4)
        scale_dense(to, from, q8, v, n, 4, 3);
    for (int c = 0; step == 0 && c < 3; c++)
        scale_channel(sac_out_u8(out, c, x, y), sac_row_u8(in, c, x, y), q8, v, n, out->pixel,
                      in->pixel);
}

static void scale_gray(const sac_pixels *out, const sac_pixels *in, const uint32_t *q8)
{
    uint8_t table[256];
    for (uint32_t v = 0; v < 256; v++)
        table[v] = scale(q8[v], (uint8_t)v);
    for (int64_t y = 0; y < in->h; y++) {
        const uint8_t *from = sac_row_u8(in, 0, 0, y);
        uint8_t *to = sac_out_u8(out, 0, 0, y);
        for (int64_t x = 0; x < in->w; x++)
            to[x * out->pixel] = table[from[x * in->pixel]];
    }
}

void sac_vscale_u8_plain(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    if (in->n_colors == 1)
        scale_gray(out, in, s->q8);
    int step = in->n_colors == 3 ? sac_dense_step_u8(out, in) : 0;
    for (int64_t y = 0; in->n_colors == 3 && y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            scale_block(out, in, s->q8, x, y, (int)n, step);
        }
    if (step == 0)
        sac_copy_alpha(out, in, 1);
}
