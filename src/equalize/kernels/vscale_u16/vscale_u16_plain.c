/*
 * vscale_u16 in plain C: one 64-bit multiplication a sample instead of the division.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels_inline.h"
#include "vscale_u16.h"

#define HALF (UINT64_C(1) << (SAC_SCALE_SHIFT_U16 - 1))

static inline uint16_t scale(uint64_t q, uint16_t x)
{
    return (uint16_t)((q * x + HALF) >> SAC_SCALE_SHIFT_U16);
}

static void scale_row_color(const sac_pixels *out, const sac_pixels *in, const uint64_t *q16,
                            int64_t y)
{
    const uint16_t *r = sac_row_u16(in, 0, 0, y), *g = sac_row_u16(in, 1, 0, y);
    const uint16_t *b = sac_row_u16(in, 2, 0, y);
    uint16_t *r_out = sac_out_u16(out, 0, 0, y), *g_out = sac_out_u16(out, 1, 0, y);
    uint16_t *b_out = sac_out_u16(out, 2, 0, y);
    ptrdiff_t to = out->pixel / 2, from = in->pixel / 2;
    for (int64_t x = 0; x < in->w; x++) {
        uint16_t red = r[x * from], green = g[x * from], blue = b[x * from];
        uint16_t rg = SAC_MAX(red, green);
        uint64_t q = q16[SAC_MAX(rg, blue)];
        r_out[x * to] = scale(q, red);
        g_out[x * to] = scale(q, green);
        b_out[x * to] = scale(q, blue);
    }
}

static void scale_row_gray(const sac_pixels *out, const sac_pixels *in, const uint64_t *q16,
                           int64_t y)
{
    const uint16_t *from = sac_row_u16(in, 0, 0, y);
    uint16_t *to = sac_out_u16(out, 0, 0, y);
    for (int64_t x = 0; x < in->w; x++) {
        uint16_t v = from[x * in->pixel / 2];
        to[x * out->pixel / 2] = scale(q16[v], v);
    }
}

void sac_vscale_u16_plain(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    for (int64_t y = 0; y < in->h; y++) {
        if (in->n_colors == 3)
            scale_row_color(out, in, s->q16, y);
        else
            scale_row_gray(out, in, s->q16, y);
    }
    sac_copy_alpha(out, in, 2);
}
