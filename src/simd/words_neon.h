/*
 * words.h for AArch64.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_WORDS_NEON_H
#define SAC_SIMD_WORDS_NEON_H

typedef struct {
    v16 c[3];
} v16x3;
typedef struct {
    float64x2_t x[4];
} v16d;
typedef int16x8x2_t v16p; /* the first ones and the second ones */

SIMD_INLINE v16x3 v16_load3(const uint16_t *p)
{
    const uint16x8x3_t x = vld3q_u16(p);
    return (v16x3){{x.val[0], x.val[1], x.val[2]}};
}

SIMD_INLINE void v16_store3(uint16_t *p, v16x3 a)
{
    vst3q_u16(p, (uint16x8x3_t){{a.c[0], a.c[1], a.c[2]}});
}

SIMD_BINARY(v16, v16_avg, vrhaddq_u16)

SIMD_INLINE bool v16_any_zero(v16 a)
{
    return vminvq_u16(a) == 0;
}

SIMD_INLINE v16 v16_lead(v16 a)
{
    return vshlq_u16(vdupq_n_u16(1), vreinterpretq_s16_u16(vclzq_u16(a)));
}

SIMD_INLINE v16x2 v16_look_up_halves(const uint32_t *table, v16 a)
{
    uint16_t at[V16];
    uint32_t x[V16];
    vst1q_u16(at, a);
    for (int i = 0; i < V16; i++)
        x[i] = table[at[i]];
    const uint16x8x2_t halves = vld2q_u16((const uint16_t *)(const void *)x);
    return (v16x2){halves.val[0], halves.val[1]};
}

SIMD_INLINE v16d v16d_set(double x)
{
    const float64x2_t all = vdupq_n_f64(x);
    return (v16d){{all, all, all, all}};
}

SIMD_INLINE v16d v16d_of_u32(uint32x4_t lo, uint32x4_t hi)
{
    return (v16d){{vcvtq_f64_u64(vmovl_u32(vget_low_u32(lo))), vcvtq_f64_u64(vmovl_high_u32(lo)),
                   vcvtq_f64_u64(vmovl_u32(vget_low_u32(hi))), vcvtq_f64_u64(vmovl_high_u32(hi))}};
}

/* As the last bits of 2^52 + x: zipped with the upper half of 2^52. */
SIMD_INLINE v16d v16d_load_u32(const uint32_t *p)
{
    const uint32x4_t above = vdupq_n_u32(0x43300000);
    v16d r;
    for (int k = 0; k < 2; k++) {
        const uint32x4_t x = vld1q_u32(p + 4 * k);
        r.x[2 * k] = vreinterpretq_f64_u32(vzip1q_u32(x, above));
        r.x[2 * k + 1] = vreinterpretq_f64_u32(vzip2q_u32(x, above));
    }
    return r;
}

SIMD_INLINE v16d v16d_from(v16 a)
{
    return v16d_of_u32(vmovl_u16(vget_low_u16(a)), vmovl_high_u16(a));
}

SIMD_INLINE v16d v16d_load(const double *p)
{
    return (v16d){{vld1q_f64(p), vld1q_f64(p + 2), vld1q_f64(p + 4), vld1q_f64(p + 6)}};
}

#define v16p_load vld2q_s16

SIMD_INLINE int16x8_t v16_look_up_signed(const uint16_t *table, const uint16_t *at)
{
    uint16x8_t x = vdupq_n_u16(table[at[0]]);
    x = vld1q_lane_u16(table + at[1], x, 1);
    x = vld1q_lane_u16(table + at[2], x, 2);
    x = vld1q_lane_u16(table + at[3], x, 3);
    x = vld1q_lane_u16(table + at[4], x, 4);
    x = vld1q_lane_u16(table + at[5], x, 5);
    x = vld1q_lane_u16(table + at[6], x, 6);
    x = vld1q_lane_u16(table + at[7], x, 7);
    return vreinterpretq_s16_u16(veorq_u16(x, vdupq_n_u16(0x8000)));
}

SIMD_INLINE v16p v16p_look_up(const uint16_t *a, const uint16_t *b, const uint16_t *at)
{
    return (v16p){{v16_look_up_signed(a, at), v16_look_up_signed(b, at)}};
}

SIMD_INLINE void v16_store_pairs(uint32_t *to, v16 a, v16 b)
{
    vst2q_u16((uint16_t *)to, (uint16x8x2_t){{a, b}});
}

SIMD_INLINE v16p v16p_of_table(const uint32_t *table, const uint16_t *at)
{
    const v16x2 x = v16_look_up_halves(table, vld1q_u16(at));
    const uint16x8_t sign = vdupq_n_u16(0x8000);
    return (v16p){{vreinterpretq_s16_u16(veorq_u16(x.lo, sign)),
                   vreinterpretq_s16_u16(veorq_u16(x.hi, sign))}};
}

SIMD_INLINE v16d v16p_mix(v16p a, v16p b)
{
    const int32x4_t lo = vmlal_s16(vmull_s16(vget_low_s16(a.val[0]), vget_low_s16(b.val[0])),
                                   vget_low_s16(a.val[1]), vget_low_s16(b.val[1]));
    const int32x4_t hi = vmlal_high_s16(vmull_high_s16(a.val[0], b.val[0]), a.val[1], b.val[1]);
    return (v16d){{vcvtq_f64_s64(vmovl_s32(vget_low_s32(lo))), vcvtq_f64_s64(vmovl_high_s32(lo)),
                   vcvtq_f64_s64(vmovl_s32(vget_low_s32(hi))), vcvtq_f64_s64(vmovl_high_s32(hi))}};
}

SIMD_INLINE v16d v16d_fma(v16d a, v16d b, v16d c)
{
    for (int k = 0; k < 4; k++)
        a.x[k] = vfmaq_f64(c.x[k], a.x[k], b.x[k]);
    return a;
}

SIMD_INLINE v16x2 v16d_halves(v16d a)
{
    uint16x8_t half[2];
    for (int k = 0; k < 2; k++)
        half[k] = vreinterpretq_u16_u32(
            vuzp1q_u32(vreinterpretq_u32_u64(vcvtnq_u64_f64(a.x[2 * k])),
                       vreinterpretq_u32_u64(vcvtnq_u64_f64(a.x[2 * k + 1]))));
    return (v16x2){vuzp1q_u16(half[0], half[1]), vuzp2q_u16(half[0], half[1])};
}

#endif
