/*
 * filters.h for AArch64. Wide values are in order.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FILTERS_NEON_H
#define SAC_SIMD_FILTERS_NEON_H

typedef struct {
    v8 c[2];
} v8x2;

SIMD_INLINE v16x2 v8_wide(v8 a)
{
    return v8_widen(a);
}

SIMD_INLINE v16x2 v8_wide_sum(v8 a, v8 b)
{
    return (v16x2){vaddl_u8(vget_low_u8(a), vget_low_u8(b)), vaddl_high_u8(a, b)};
}

SIMD_INLINE v16x2 wide_add(v16x2 a, v16x2 b)
{
    return (v16x2){v16_add(a.lo, b.lo), v16_add(a.hi, b.hi)};
}

SIMD_INLINE v8 wide_bytes(v16x2 a)
{
    return v16_narrow(a);
}

SIMD_INLINE void wide_store(uint16_t *p, v16x2 a)
{
    v16_store(p, a.lo);
    v16_store(p + V16, a.hi);
}

typedef struct {
    uint8x16_t w0, w1;
    uint16_t w0_down, w1_down;
} weights3;

SIMD_INLINE weights3 weigh3_by(int w0, int w1)
{
    return (weights3){v8_set((uint8_t)w0), v8_set((uint8_t)w1), (uint16_t)w0, (uint16_t)w1};
}

SIMD_INLINE v16x2 weigh3_along(v8 left, v8 middle, v8 right, const weights3 *w)
{
    const uint8x8_t w0 = vget_low_u8(w->w0), w1 = vget_low_u8(w->w1);
    uint16x8_t lo = vmull_u8(vget_low_u8(middle), w0), hi = vmull_high_u8(middle, w->w0);
    lo = vmlal_u8(vmlal_u8(lo, vget_low_u8(left), w1), vget_low_u8(right), w1);
    hi = vmlal_high_u8(vmlal_high_u8(hi, left, w->w1), right, w->w1);
    return (v16x2){lo, hi};
}

SIMD_INLINE v16 weigh3_column(v16 a, v16 b, v16 c, const weights3 *w)
{
    uint32x4_t lo = vmull_n_u16(vget_low_u16(b), w->w0_down);
    uint32x4_t hi = vmull_high_n_u16(b, w->w0_down);
    lo = vmlal_n_u16(vmlal_n_u16(lo, vget_low_u16(a), w->w1_down), vget_low_u16(c), w->w1_down);
    hi = vmlal_high_n_u16(vmlal_high_n_u16(hi, a, w->w1_down), c, w->w1_down);
    return vrshrn_high_n_u32(vrshrn_n_u32(lo, 16), hi, 16);
}

SIMD_INLINE v8x2 weigh3_down(v16x2 a, v16x2 b, v16x2 c, v16x2 d, const weights3 *w)
{
    return (v8x2){{wide_bytes((v16x2){weigh3_column(a.lo, b.lo, c.lo, w),
                                      weigh3_column(a.hi, b.hi, c.hi, w)}),
                   wide_bytes((v16x2){weigh3_column(b.lo, c.lo, d.lo, w),
                                      weigh3_column(b.hi, c.hi, d.hi, w)})}};
}

SIMD_INLINE v16 v16_step(v16 a, v16 r, v16 b)
{
    return vbslq_u16(vcgtq_u16(b, a), v16_add(a, r), v16_sub(a, r));
}

SIMD_INLINE v16x2 v8_widen_256(v8 a)
{
    return (v16x2){vshll_n_u8(vget_low_u8(a), 8), vshll_high_n_u8(a, 8)};
}

/* By 64 entries: low bytes and high bytes. */
typedef struct {
    int n; /* parts that are not all 0 */
    uint8_t first[4], low[4][64], high[4][64];
} table16;

SIMD_INLINE void table16_make(table16 *t, const uint16_t *of)
{
    t->n = 0;
    for (int i = 0; i < 256; i += 64) {
        int any = 0;
        for (int k = 0; k < 64; k++) {
            any |= of[i + k];
            t->low[t->n][k] = (uint8_t)of[i + k];
            t->high[t->n][k] = (uint8_t)(of[i + k] >> 8);
        }
        t->first[t->n] = (uint8_t)i;
        t->n += any != 0;
    }
}

SIMD_INLINE v16x2 table16_at(const table16 *t, v16x2 at)
{
    const v8 all = wide_bytes(at);
    v8 low = v8_set(0), high = low;
    for (int i = 0; i < t->n; i++) {
        const v8 here = v8_sub(all, v8_set(t->first[i])); /* 64 and more give 0 */
        low = v8_or(low, vqtbl4q_u8(vld1q_u8_x4(t->low[i]), here));
        high = v8_or(high, vqtbl4q_u8(vld1q_u8_x4(t->high[i]), here));
    }
    return (v16x2){vreinterpretq_u16_u8(vzip1q_u8(low, high)),
                   vreinterpretq_u16_u8(vzip2q_u8(low, high))};
}

#endif
