/*
 * vscale_u8 in plain C: one multiplication a sample instead of the division, by blocks that stay in
 * the L1 cache. Gray is a table of 256 bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/pixels_inline.h"
#include "vscale_u8.h"

#define HALF (UINT32_C(1) << (SAC_SCALE_SHIFT_U8 - 1))

/* (n) samples of one channel; steps are passed as constants where they are common, for the
 * vectorizer. */
static inline void scale_step(uint8_t *out, const uint8_t *in, const uint32_t *q, int64_t n,
                              ptrdiff_t to, ptrdiff_t from)
{
    for (int64_t i = 0; i < n; i++)
        out[i * to] = (uint8_t)((q[i] * in[i * from] + HALF) >> SAC_SCALE_SHIFT_U8);
}

static void scale_channel(uint8_t *out, const uint8_t *in, const uint32_t *q, int64_t n,
                          ptrdiff_t to, ptrdiff_t from)
{
    if (to == 3 && from == 3)
        scale_step(out, in, q, n, 3, 3);
    else if (to == 4 && from == 4)
        scale_step(out, in, q, n, 4, 4);
    else if (to == 1 && from == 1)
        scale_step(out, in, q, n, 1, 1);
    else
        scale_step(out, in, q, n, to, from);
}

static void scale_gray(const sac_pixels *out, const sac_pixels *in, const uint32_t *q8)
{
    uint8_t table[256];
    for (uint32_t v = 0; v < 256; v++)
        table[v] = (uint8_t)((q8[v] * v + HALF) >> SAC_SCALE_SHIFT_U8);
    for (int64_t y = 0; y < in->h; y++) {
        const uint8_t *from = sac_row_u8(in, 0, 0, y);
        uint8_t *to = sac_out_u8(out, 0, 0, y);
        for (int64_t x = 0; x < in->w; x++)
            to[x * out->pixel] = table[from[x * in->pixel]];
    }
}

void sac_vscale_u8_plain(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    uint8_t v[SAC_BLOCK];
    uint32_t q[SAC_BLOCK];
    if (in->n_colors == 1)
        scale_gray(out, in, s->q8);
    for (int64_t y = 0; in->n_colors == 3 && y < in->h; y++)
        for (int64_t x = 0; x < in->w; x += SAC_BLOCK) {
            int64_t n = in->w - x < SAC_BLOCK ? in->w - x : SAC_BLOCK;
            sac_vmax_u8(v, in, x, y, n);
            for (int64_t i = 0; i < n; i++)
                q[i] = s->q8[v[i]];
            for (int c = 0; c < 3; c++)
                scale_channel(sac_out_u8(out, c, x, y), sac_row_u8(in, c, x, y), q, n, out->pixel,
                              in->pixel);
        }
    sac_copy_alpha(out, in, 1);
}
