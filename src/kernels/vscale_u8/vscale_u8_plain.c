/*
 * vscale_u8 in plain C: one multiplication a sample instead of the division. Gray is a table of 256
 * bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/pixels_inline.h"
#include "vscale_u8.h"

#define HALF (UINT32_C(1) << (SAC_SCALE_SHIFT_U8 - 1))

static inline uint8_t scale(uint32_t q, uint8_t x)
{
    return (uint8_t)((q * x + HALF) >> SAC_SCALE_SHIFT_U8);
}

/* One row; steps are passed as constants where they are common. */
static inline void scale_row(const sac_pixels *out, const sac_pixels *in, const uint32_t *q8,
                             int64_t y, ptrdiff_t to, ptrdiff_t from)
{
    const uint8_t *r = sac_row_u8(in, 0, 0, y), *g = sac_row_u8(in, 1, 0, y);
    const uint8_t *b = sac_row_u8(in, 2, 0, y);
    uint8_t *r_out = sac_out_u8(out, 0, 0, y), *g_out = sac_out_u8(out, 1, 0, y);
    uint8_t *b_out = sac_out_u8(out, 2, 0, y);
    for (int64_t x = 0; x < in->w; x++) {
        uint8_t red = r[x * from], green = g[x * from], blue = b[x * from];
        uint8_t rg = SAC_MAX(red, green);
        uint32_t q = q8[SAC_MAX(rg, blue)];
        r_out[x * to] = scale(q, red);
        g_out[x * to] = scale(q, green);
        b_out[x * to] = scale(q, blue);
    }
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
    for (int64_t y = 0; in->n_colors == 3 && y < in->h; y++) {
        if (out->pixel == 3 && in->pixel == 3)
            scale_row(out, in, s->q8, y, 3, 3);
        else if (out->pixel == 4 && in->pixel == 4)
            scale_row(out, in, s->q8, y, 4, 4);
        else if (out->pixel == 1 && in->pixel == 1)
            scale_row(out, in, s->q8, y, 1, 1);
        else
            scale_row(out, in, s->q8, y, out->pixel, in->pixel);
    }
    sac_copy_alpha(out, in, 1);
}
