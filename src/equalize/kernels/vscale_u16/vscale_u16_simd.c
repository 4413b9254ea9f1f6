/*
 * vscale_u16 with vectors. Multipliers cut to 32 bits, which a table of 256 KB holds, and products
 * in 16-bit lanes (share.h). Where those leave the last bit open, the vector's pixels are left to
 * plain C: 1 of 340 vectors of 16 pixels if fractions are random. For packed RGB and planes; other
 * layouts are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/share.h"
#include "image/pixels_inline.h"
#include "vscale_u16.h"

#define AHEAD 256 /* pixels */

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

/* Pixels some way ahead: by themselves, reads and writes together are seen too late. */
SIMD_INLINE void fetch(const sac_pixels *out, const sac_pixels *in, int64_t x, int64_t y,
                       bool packed)
{
    for (int c = 0; c < (packed ? 1 : 3); c++)
        for (int k = 0; k < (packed ? 6 : 2) * V16; k += 64) {
            __builtin_prefetch(sac_row_u8(in, c, x + AHEAD, y) + k);
            __builtin_prefetch(sac_row_u8(out, c, x + AHEAD, y) + k, 1);
        }
}

SIMD_INLINE void scale_rows(const sac_pixels *out, const sac_pixels *in, const sac_scale *s,
                            ptrdiff_t low, bool packed)
{
    for (int64_t y = 0; y < in->h; y++) {
        int64_t x = 0;
        for (; x + V16 <= in->w; x += V16) {
            v16x3 p;
            fetch(out, in, x, y, packed);
            if (packed)
                p = v16_load3(sac_row_u16(in, 0, x, y) + low);
            for (int c = 0; !packed && c < 3; c++)
                p.c[c] = v16_load(sac_row_u16(in, c, x, y));
            const v16 v = v16_max(v16_max(p.c[0], p.c[1]), p.c[2]), lead = v16_lead(v);
            const v16x2 q = v16_look_up_halves(s->q32, v);
            v16 least = v16_set(65535);
            for (int c = 0; c < 3; c++)
                p.c[c] = sac_share(&least, q, v16_mul(p.c[c], lead), 0);
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
