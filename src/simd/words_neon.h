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
    v16 c[4];
} v16x4;
typedef struct {
    float64x2_t x[4];
} v16d;

SIMD_INLINE v16x3 v16_load3(const uint16_t *p)
{
    const uint16x8x3_t x = vld3q_u16(p);
    return (v16x3){{x.val[0], x.val[1], x.val[2]}};
}

SIMD_INLINE void v16_store3(uint16_t *p, v16x3 a)
{
    vst3q_u16(p, (uint16x8x3_t){{a.c[0], a.c[1], a.c[2]}});
}

SIMD_BINARY(v16, v16_xor, veorq_u16)

SIMD_INLINE v16 v16_carry(v16 a, v16 b)
{
    return vshrq_n_u16(vcltq_u16(vaddq_u16(a, b), a), 15);
}

SIMD_INLINE bool v16_any_zero(v16 a)
{
    return vminvq_u16(a) == 0;
}

SIMD_INLINE v16x4 v16_look_up_56(const uint64_t *table, v16 a)
{
    uint16_t at[V16];
    uint64_t x[V16];
    vst1q_u16(at, a);
    for (int i = 0; i < V16; i++)
        x[i] = table[at[i]] << 8;
    const uint16x8x4_t pieces = vld4q_u16((const uint16_t *)(const void *)x);
    return (v16x4){{pieces.val[0], pieces.val[1], pieces.val[2], pieces.val[3]}};
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

SIMD_INLINE v16d v16d_load_u32(const uint32_t *p)
{
    return v16d_of_u32(vld1q_u32(p), vld1q_u32(p + 4));
}

SIMD_INLINE v16d v16d_from(v16 a)
{
    return v16d_of_u32(vmovl_u16(vget_low_u16(a)), vmovl_high_u16(a));
}

SIMD_INLINE v16 v16_from(v16d a)
{
    uint32x4_t half[2];
    for (int k = 0; k < 2; k++)
        half[k] = vcombine_u32(vmovn_u64(vcvtq_u64_f64(a.x[2 * k])),
                               vmovn_u64(vcvtq_u64_f64(a.x[2 * k + 1])));
    return vcombine_u16(vmovn_u32(half[0]), vmovn_u32(half[1]));
}

#endif
