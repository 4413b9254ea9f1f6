/*
 * vscale_u16 with vectors. In 16-bit lanes, the multiplier times 2^8 is four pieces: an integer and
 * 48 bits of fraction; of the product's fraction the upper 16 bits are made, with the carry of
 * those below. Where those bits are 0 after half is added, sac_scale_u16() may have to look closer,
 * and the vector's pixels are left to plain C: 1 of 1,400 vectors of 16 pixels if fractions are
 * random. For packed RGB and planes; other layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels_inline.h"
#include "simd/words.h"
#include "vscale_u16.h"

/* Rounded product. *least: the smallest fraction yet, after half is added. */
SIMD_INLINE v16 multiply(v16 *least, const v16x4 *q, v16 x)
{
    const v16 low = v16_mul(q->c[1], x), lower = v16_mulhi(q->c[0], x);
    const v16 mid = v16_add(v16_mulhi(q->c[1], x), v16_carry(low, lower)); /* below 2^16 */
    const v16 top = v16_mul(q->c[2], x), fraction = v16_add(top, mid);
    const v16 whole = v16_add(v16_mul(q->c[3], x), v16_mulhi(q->c[2], x));
    *least = v16_min(*least, v16_xor(fraction, v16_set(0x8000)));
    return v16_add(v16_add(whole, v16_carry(top, mid)), v16_shr(fraction, 15));
}

/* Pixels x to x + n of row y in plain C. */
static void scale_others(const sac_pixels *out, const sac_pixels *in, const sac_scale *s, int64_t x,
                         int64_t y, int64_t n)
{
    sac_pixels from = *in, to = *out;
    for (int c = 0; c < 3; c++) {
        from.color[c] = (char *)in->color[c] + y * in->row + x * in->pixel;
        to.color[c] = (char *)out->color[c] + y * out->row + x * out->pixel;
    }
    from.alpha = to.alpha = NULL;
    from.w = to.w = n;
    from.h = to.h = 1;
    SIMD_OTHERWISE(vscale_u16)(&to, &from, s);
}

SIMD_INLINE void scale_rows(const sac_pixels *out, const sac_pixels *in, const sac_scale *s,
                            ptrdiff_t low, bool packed)
{
    for (int64_t y = 0; y < in->h; y++) {
        int64_t x = 0;
        for (; x + V16 <= in->w; x += V16) {
            v16x3 p;
            if (packed)
                p = v16_load3(sac_row_u16(in, 0, x, y) + low);
            for (int c = 0; !packed && c < 3; c++)
                p.c[c] = v16_load(sac_row_u16(in, c, x, y));
            const v16x4 q = v16_look_up_56(s->q16, v16_max(v16_max(p.c[0], p.c[1]), p.c[2]));
            v16 least = v16_set(65535);
            for (int c = 0; c < 3; c++)
                p.c[c] = multiply(&least, &q, p.c[c]);
            if (v16_any_zero(least))
                scale_others(out, in, s, x, y, V16);
            else if (packed)
                v16_store3(sac_out_u16(out, 0, x, y) + low, p);
            else
                for (int c = 0; c < 3; c++)
                    v16_store(sac_out_u16(out, c, x, y), p.c[c]);
        }
        if (x < in->w)
            scale_others(out, in, s, x, y, in->w - x);
    }
}

void sac_vscale_u16_simd(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    const bool is_rgb = in->n_colors == 3;
    if (is_rgb && sac_dense_step(out, in, 2) == 3) {
        const ptrdiff_t low = sac_low_color_u8(in, 0, 0) - sac_row_u8(in, 0, 0, 0);
        scale_rows(out, in, s, low / 2, true);
    } else if (is_rgb && in->pixel == 2 && out->pixel == 2) {
        scale_rows(out, in, s, 0, false);
        sac_copy_alpha(out, in, 2);
    } else {
        SIMD_OTHERWISE(vscale_u16)(out, in, s);
    }
}
