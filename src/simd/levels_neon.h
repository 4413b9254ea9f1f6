/*
 * levels.h for AArch64.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_LEVELS_NEON_H
#define SAC_SIMD_LEVELS_NEON_H

SIMD_INLINE uint32x2_t v8_two_on_lines(const double *line, const uint8_t *at, const double *weight)
{
    const float64x2_t p = vld1q_f64(line + 2 * at[0]), q = vld1q_f64(line + 2 * at[1]);
    const float64x2_t x = vfmaq_f64(vzip1q_f64(p, q), vzip2q_f64(p, q), vld1q_f64(weight));
    return vmovn_u64(vcvtq_u64_f64(x));
}

SIMD_INLINE uint16x8_t v8_four_on_lines(const double *line, const uint8_t *at, const double *weight)
{
    return vreinterpretq_u16_u32(
        vcombine_u32(v8_two_on_lines(line, at, weight), v8_two_on_lines(line, at + 2, weight + 2)));
}

SIMD_INLINE v32_halves v8_on_lines(const double line[512], v8 a, const double *weight)
{
    uint8_t at[V8];
    uint16x8_t x[4];
    vst1q_u8(at, a);
    for (int i = 0; i < 4; i++)
        x[i] = v8_four_on_lines(line, at + 4 * i, weight + 4 * i);
    return (v32_halves){{vuzp1q_u16(x[0], x[1]), vuzp1q_u16(x[2], x[3])},
                        {vuzp2q_u16(x[0], x[1]), vuzp2q_u16(x[2], x[3])}};
}

SIMD_INLINE uint16x4_t v8_four_inverse(uint16x4_t a)
{
    const float32x4_t x = vcvtq_f32_u32(vmovl_u16(a));
    return vmovn_u32(vcvtq_u32_f32(vdivq_f32(vdupq_n_f32(65535), x)));
}

SIMD_INLINE v16 v16_inverse(v16 a)
{
    return vcombine_u16(v8_four_inverse(vget_low_u16(a)), v8_four_inverse(vget_high_u16(a)));
}

SIMD_INLINE v16x2 v8_inverse(v8 a)
{
    const v16x2 wide = v8_widen(a);
    return (v16x2){v16_inverse(wide.lo), v16_inverse(wide.hi)};
}

#define VC 4
typedef uint32x4_t vc;

#define vc_load vld1q_u32
#define vc_store vst1q_u32
#define vc_set vdupq_n_u32

SIMD_BINARY(vc, vc_add, vaddq_u32)
SIMD_BINARY(vc, vc_min, vminq_u32)

SIMD_INLINE vc vc_sums(vc a)
{
    a = vaddq_u32(a, vextq_u32(vdupq_n_u32(0), a, 3));
    return vaddq_u32(a, vextq_u32(vdupq_n_u32(0), a, 2));
}

SIMD_INLINE vc vc_last(vc a)
{
    return vdupq_laneq_u32(a, 3);
}

SIMD_INLINE void vc_store_words(uint16_t *p, vc a)
{
    vst1_u16(p, vmovn_u32(a));
}

SIMD_INLINE void vc_store_line(uint32_t *to, vc a, double slope, double base)
{
    const float64x2_t k = vdupq_n_f64(slope), b = vdupq_n_f64(base);
    const float64x2_t x = vfmaq_f64(b, vcvtq_f64_u64(vmovl_u32(vget_low_u32(a))), k);
    const float64x2_t y = vfmaq_f64(b, vcvtq_f64_u64(vmovl_high_u32(a)), k);
    vst1q_u32(to, vuzp1q_u32(vreinterpretq_u32_u64(vcvtnq_u64_f64(x)),
                             vreinterpretq_u32_u64(vcvtnq_u64_f64(y))));
}

#endif
