/*
 * gaussian_u8 with vectors, 3 x 3: sums along the rows, then down the columns for two rows of
 * results at once. 5 x 5: the same row by row, high and low bytes of the sums weighted apart.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gaussian_u8.h"
#include "motion/kernels/strips.h"
#include "simd/filters.h"

SIMD_INLINE v16x2 along(const uint8_t *p, int32_t step, const weights3 *w)
{
    return weigh3_along(v8_load(p - step), v8_load(p), v8_load(p + step), w);
}

static void make(const sac_strip *s, int64_t first, int64_t last, const sac_filter *f)
{
    const weights3 w = weigh3_by(f->weight[0], f->weight[1]);
    for (int64_t x = first; x <= last; x = sac_strip_next(x, last)) {
        v16x2 a = along(s->line[0] + x, s->step, &w), b = along(s->line[1] + x, s->step, &w);
        for (int64_t k = 0; k < s->h; k += 2) {
            const v16x2 c = along(s->line[k + 2] + x, s->step, &w);
            const v16x2 d = along(s->line[k + 3] + x, s->step, &w);
            const v8x2 rows = weigh3_down(a, b, c, d, &w);
            v8_store(s->to[k + 1] + x, rows.c[1]);
            v8_store(s->to[k] + x, rows.c[0]);
            a = c;
            b = d;
        }
    }
}

static void whole_rows(const sac_samples *out, const sac_samples *in, int64_t y,
                       const sac_filter *f)
{
    sac_strips(out, in, y, 1, f, make);
}

/* Sums along a row of 5 samples, at most 255 * 256: their high and low bytes. */
typedef struct split {
    v16x2 high, low;
} split;

SIMD_INLINE v16 weigh5(v16 middle, v16 next, v16 far, const v16 w[3])
{
    return v16_add(v16_add(v16_mul(middle, w[0]), v16_mul(next, w[1])), v16_mul(far, w[2]));
}

SIMD_INLINE split along5(const uint8_t *p, int32_t step, const v16 w[3])
{
    const v16x2 middle = v8_wide(v8_load(p));
    const v16x2 next = v8_wide_sum(v8_load(p - step), v8_load(p + step));
    const v16x2 far = v8_wide_sum(v8_load(p - 2 * step), v8_load(p + 2 * step));
    const v16 lo = weigh5(middle.lo, next.lo, far.lo, w),
              hi = weigh5(middle.hi, next.hi, far.hi, w);
    const v16 byte = v16_set(255);
    return (split){{v16_shr(lo, 8), v16_shr(hi, 8)}, {v16_and(lo, byte), v16_and(hi, byte)}};
}

SIMD_INLINE v16x2 down5(const v16x2 *middle, v16x2 next, v16x2 far, const v16 w[3])
{
    return (v16x2){weigh5(middle->lo, next.lo, far.lo, w), weigh5(middle->hi, next.hi, far.hi, w)};
}

/* (256 high + low + 2^15) / 2^16 */
SIMD_INLINE v16 rounded(v16 high, v16 low)
{
    return v16_shr(v16_add(v16_add(high, v16_shr(low, 8)), v16_set(128)), 8);
}

static void make5(const sac_strip *s, int64_t first, int64_t last, const sac_filter *f)
{
    const v16 w[3] = {v16_set((uint16_t)f->weight[0]), v16_set((uint16_t)f->weight[1]),
                      v16_set((uint16_t)f->weight[2])};
    for (int64_t x = first; x <= last; x = sac_strip_next(x, last)) {
        split a = along5(s->line[0] + x, s->step, w), b = along5(s->line[1] + x, s->step, w);
        split c = along5(s->line[2] + x, s->step, w), d = along5(s->line[3] + x, s->step, w);
        for (int64_t k = 0; k < s->h; k++) {
            const split e = along5(s->line[k + 4] + x, s->step, w);
            const v16x2 high =
                down5(&c.high, wide_add(b.high, d.high), wide_add(a.high, e.high), w);
            const v16x2 low = down5(&c.low, wide_add(b.low, d.low), wide_add(a.low, e.low), w);
            v8_store(s->to[k] + x,
                     wide_bytes((v16x2){rounded(high.lo, low.lo), rounded(high.hi, low.hi)}));
            a = b;
            b = c;
            c = d;
            d = e;
        }
    }
}

static void whole_rows5(const sac_samples *out, const sac_samples *in, int64_t y,
                        const sac_filter *f)
{
    sac_strips(out, in, y, 2, f, make5);
}

void sac_gaussian_u8_simd(const sac_samples *out, const sac_samples *in, int64_t y,
                          const sac_filter *f)
{
    if (f->size == 3 && f->weight[1] > 0) /* else w_0 is 256, which is no byte */
        sac_filter_rows(out, in, y, f, SAC_STRIP_LEAST, whole_rows, SIMD_OTHERWISE(gaussian_u8));
    else if (f->size == 5)
        sac_filter_rows(out, in, y, f, SAC_STRIP_LEAST, whole_rows5, SIMD_OTHERWISE(gaussian_u8));
    else
        SIMD_OTHERWISE(gaussian_u8)(out, in, y, f);
}
