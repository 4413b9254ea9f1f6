/*
 * vscale_u8 with vectors whose registers do not hold the table: multipliers are loaded one by one
 * and taken apart into 16-bit halves; (q R + 2^23) >> 24 in 16-bit lanes is the high byte of (q >>
 * 16) R + ((q & 0xffff) R >> 16) + 128. For packed RGB, planes and gray; others are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels_inline.h"
#include "simd/simd.h"
#include "vscale_u8.h"

SIMD_INLINE v16 multiply(v16 low, v16 high, v16 x)
{
    const v16 sum = v16_add(v16_mul(high, x), v16_mulhi(low, x));
    return v16_shr(v16_add(sum, v16_set(128)), 8);
}

SIMD_INLINE v8 scale(const v32_halves *q, v8 x)
{
    const v16x2 wide = v8_widen(x);
    return v16_narrow((v16x2){multiply(q->low.lo, q->high.lo, wide.lo),
                              multiply(q->low.hi, q->high.hi, wide.hi)});
}

SIMD_INLINE v8x3 scale_rgb(const uint32_t *q8, v8x3 p)
{
    const v8 v = v8_max(v8_max(p.c[0], p.c[1]), p.c[2]);
    const v32_halves q = v8_look_up_32(q8, v);
    for (int c = 0; c < 3; c++)
        p.c[c] = scale(&q, p.c[c]);
    return p;
}

static void scale_packed(const sac_pixels *out, const sac_pixels *in, const uint32_t *q8)
{
    const int64_t whole = in->w / V8 * V8;
    const size_t rest = (size_t)(3 * (in->w - whole));
    for (int64_t y = 0; y < in->h; y++) {
        const uint8_t *from = sac_low_color_u8(in, 0, y);
        uint8_t *to = sac_out_u8(out, 0, 0, y) + (from - sac_row_u8(in, 0, 0, y));
        for (int64_t x = 0; x < whole; x += V8)
            v8_store3(to + 3 * x, scale_rgb(q8, v8_load3(from + 3 * x)));
        if (rest) {
            uint8_t last[3 * V8] = {0};
            memcpy(last, from + 3 * whole, rest);
            v8_store3(last, scale_rgb(q8, v8_load3(last)));
            memcpy(to + 3 * whole, last, rest);
        }
    }
}

static void scale_planes(const sac_pixels *out, const sac_pixels *in, const uint32_t *q8)
{
    const int64_t whole = in->w / V8 * V8;
    const size_t rest = (size_t)(in->w - whole);
    for (int64_t y = 0; y < in->h; y++) {
        v8x3 p;
        for (int64_t x = 0; x < whole; x += V8) {
            for (int c = 0; c < 3; c++)
                p.c[c] = v8_load(sac_row_u8(in, c, x, y));
            p = scale_rgb(q8, p);
            for (int c = 0; c < 3; c++)
                v8_store(sac_out_u8(out, c, x, y), p.c[c]);
        }
        if (rest) {
            uint8_t last[3][V8] = {{0}};
            for (int c = 0; c < 3; c++)
                p.c[c] = v8_load(memcpy(last[c], sac_row_u8(in, c, whole, y), rest));
            p = scale_rgb(q8, p);
            for (int c = 0; c < 3; c++) {
                v8_store(last[c], p.c[c]);
                memcpy(sac_out_u8(out, c, whole, y), last[c], rest);
            }
        }
    }
}

void sac_vscale_u8_simd(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    const bool is_rgb = in->n_colors == 3;
    if (is_rgb && sac_dense_step_u8(out, in) == 3) {
        scale_packed(out, in, s->q8);
    } else if (is_rgb && in->pixel == 1 && out->pixel == 1) {
        scale_planes(out, in, s->q8);
        sac_copy_alpha(out, in, 1);
    } else {
        SIMD_OTHERWISE(vscale_u8)(out, in, s);
    }
}
