/*
 * filters.h in C without vectors: what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FILTERS_PLAIN_H
#define SAC_SIMD_FILTERS_PLAIN_H

typedef struct {
    v8 c[2];
} v8x2;

SIMD_INLINE v16x2 v8_wide(v8 a)
{
    return v8_widen(a);
}

/* a + b. */
SIMD_INLINE v16x2 v8_wide_sum(v8 a, v8 b)
{
    const v16x2 x = v8_widen(a), y = v8_widen(b);
    return (v16x2){v16_add(x.lo, y.lo), v16_add(x.hi, y.hi)};
}

SIMD_INLINE v16x2 wide_add(v16x2 a, v16x2 b)
{
    return (v16x2){v16_add(a.lo, b.lo), v16_add(a.hi, b.hi)};
}

/* The bytes in order again, of values up to 255. */
SIMD_INLINE v8 wide_bytes(v16x2 a)
{
    return v16_narrow(a);
}

/* V8 values in order. */
SIMD_INLINE void wide_store(uint16_t *p, v16x2 a)
{
    v16_store(p, a.lo);
    v16_store(p + V16, a.hi);
}

/* Weights w0 in the middle and w1 > 0 on either side, w0 + 2 w1 = 256. */
typedef struct {
    int w0, w1;
} weights3;

SIMD_INLINE weights3 weigh3_by(int w0, int w1)
{
    return (weights3){w0, w1};
}

/* Sums of three along a row, for weigh3_down(): in other sets less a constant, and wide. */
SIMD_INLINE v16x2 weigh3_along(v8 left, v8 middle, v8 right, const weights3 *w)
{
    uint16_t sum[V8];
    for (int i = 0; i < V8; i++)
        sum[i] = (uint16_t)(w->w0 * middle.x[i] + w->w1 * (left.x[i] + right.x[i]));
    return (v16x2){v16_load(sum), v16_load(sum + V16)};
}

SIMD_INLINE v16 weigh3_column(v16 a, v16 b, v16 c, const weights3 *w)
{
    for (int i = 0; i < V16; i++)
        b.x[i] = (uint16_t)((w->w0 * b.x[i] + w->w1 * (a.x[i] + c.x[i]) + (1 << 15)) >> 16);
    return b;
}

/* Sums of three down, around b and around c, divided by 2^16 and rounded. */
SIMD_INLINE v8x2 weigh3_down(v16x2 a, v16x2 b, v16x2 c, v16x2 d, const weights3 *w)
{
    return (v8x2){{wide_bytes((v16x2){weigh3_column(a.lo, b.lo, c.lo, w),
                                      weigh3_column(a.hi, b.hi, c.hi, w)}),
                   wide_bytes((v16x2){weigh3_column(b.lo, c.lo, d.lo, w),
                                      weigh3_column(b.hi, c.hi, d.hi, w)})}};
}

/* a + r where b > a, else a - r. */
SIMD_INLINE v16 v16_step(v16 a, v16 r, v16 b)
{
    for (int i = 0; i < V16; i++)
        a.x[i] = (uint16_t)(b.x[i] > a.x[i] ? a.x[i] + r.x[i] : a.x[i] - r.x[i]);
    return a;
}

/* V8 bytes times 256, the first V16 in lo. */
SIMD_INLINE v16x2 v8_widen_256(v8 a)
{
    const v16x2 x = v8_widen(a);
    return (v16x2){v16_shl(x.lo, 8), v16_shl(x.hi, 8)};
}

/* A table of 256 values of 16 bits; elsewhere, those parts of it that are not all 0. */
typedef struct {
    const uint16_t *of;
} table16;

SIMD_INLINE void table16_make(table16 *t, const uint16_t *of)
{
    t->of = of;
}

/* of[at], lane by lane, of values up to 255. */
SIMD_INLINE v16x2 table16_at(const table16 *t, v16x2 at)
{
    for (int i = 0; i < V16; i++) {
        at.lo.x[i] = t->of[at.lo.x[i]];
        at.hi.x[i] = t->of[at.hi.x[i]];
    }
    return at;
}

#endif
