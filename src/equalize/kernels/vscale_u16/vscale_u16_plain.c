/*
 * vscale_u16 in plain C: one 64-bit multiplication a sample instead of the division.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels_inline.h"
#include "vscale_u16.h"

static void scale_row_color(const sac_pixels *out, const sac_pixels *in, const sac_scale *s,
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
        uint16_t v = SAC_MAX(rg, blue);
        r_out[x * to] = sac_scale_u16(s, v, red);
        g_out[x * to] = sac_scale_u16(s, v, green);
        b_out[x * to] = sac_scale_u16(s, v, blue);
    }
}

static void scale_row_gray(const sac_pixels *out, const sac_pixels *in, const sac_scale *s,
                           int64_t y)
{
    const uint16_t *from = sac_row_u16(in, 0, 0, y);
    uint16_t *to = sac_out_u16(out, 0, 0, y);
    for (int64_t x = 0; x < in->w; x++) {
        uint16_t v = from[x * in->pixel / 2];
        to[x * out->pixel / 2] = sac_scale_u16(s, v, v);
    }
}

void sac_vscale_u16_plain(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    for (int64_t y = 0; y < in->h; y++) {
        if (in->n_colors == 3)
            scale_row_color(out, in, s, y);
        else
            scale_row_gray(out, in, s, y);
    }
    sac_copy_alpha(out, in, 2);
}
