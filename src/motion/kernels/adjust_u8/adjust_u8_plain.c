/*
 * adjust_u8 in plain C. Where the luma has no part in it, and of gray, a table of 256; else a luma
 * for each pixel.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "adjust_u8.h"
#include "image/pixels_inline.h"

static inline uint8_t clip(int32_t v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void look_up(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *m)
{
    uint8_t table[256];
    for (int32_t v = 0; v < 256; v++)
        table[v] = clip(((m->p + m->q) * v + m->o * (1 << (m->shift - 5))) >> m->shift);
    for (int64_t y = 0; y < in->h; y++)
        for (int c = 0; c < in->n_colors; c++) {
            const uint8_t *from = sac_row_u8(in, c, 0, y);
            uint8_t *to = sac_out_u8(out, c, 0, y);
            for (int64_t x = 0; x < in->w; x++)
                to[x * out->pixel] = table[from[x * in->pixel]];
        }
}

/* `step`s are passed as constants where they are common, for the vectorizer. */
static inline void mix_row(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *m,
                           int64_t y, ptrdiff_t out_step, ptrdiff_t in_step)
{
    const uint8_t *r = sac_row_u8(in, 0, 0, y), *g = sac_row_u8(in, 1, 0, y),
                  *b = sac_row_u8(in, 2, 0, y);
    uint8_t *to_r = sac_out_u8(out, 0, 0, y), *to_g = sac_out_u8(out, 1, 0, y),
            *to_b = sac_out_u8(out, 2, 0, y);
    const int32_t p = 128 * m->p, q = m->q, o = m->o * (1 << (m->shift + 2)), by = m->shift + 7;
    for (int64_t x = 0; x < in->w; x++) {
        const int32_t red = r[x * in_step], green = g[x * in_step], blue = b[x * in_step];
        const int32_t all =
            q * (SAC_LUMA_RED * red + SAC_LUMA_GREEN * green + SAC_LUMA_BLUE * blue) + o;
        to_r[x * out_step] = clip((p * red + all) >> by);
        to_g[x * out_step] = clip((p * green + all) >> by);
        to_b[x * out_step] = clip((p * blue + all) >> by);
    }
}

void sac_adjust_u8_plain(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *mix)
{
    const ptrdiff_t step = in->pixel == out->pixel ? in->pixel : 0;
    if (in->n_colors == 1 || mix->q == 0)
        look_up(out, in, mix);
    else
        for (int64_t y = 0; y < in->h; y++)
            if (step == 3)
                mix_row(out, in, mix, y, 3, 3);
            else if (step == 4)
                mix_row(out, in, mix, y, 4, 4);
            else if (step == 1)
                mix_row(out, in, mix, y, 1, 1);
            else
                mix_row(out, in, mix, y, out->pixel, in->pixel);
    sac_copy_alpha(out, in, 1);
}
