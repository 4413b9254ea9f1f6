/*
 * sums.h for AArch64.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_SUMS_NEON_H
#define SAC_SIMD_SUMS_NEON_H

typedef uint16x8_t m16;
typedef uint32x4_t v32;

/* 16 bytes of 255 or 0 become 2 of bits by three sums of neighbours, of 64 at once. */
SIMD_INLINE uint64_t bits64_ge(const uint8_t *p, v8 t)
{
    static const uint8_t bit[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t x[4];
    for (int k = 0; k < 4; k++)
        x[k] = vandq_u8(vcgeq_u8(v8_load(p + 16 * k), t), vld1q_u8(bit));
    const uint8x16_t sum = vpaddq_u8(vpaddq_u8(x[0], x[1]), vpaddq_u8(x[2], x[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}

SIMD_INLINE v8 v8_from_bits(uint64_t bits)
{
    static const uint8_t bit[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x8_t low = vdup_n_u8((uint8_t)bits), high = vdup_n_u8((uint8_t)(bits >> 8));
    return vtstq_u8(vcombine_u8(low, high), vld1q_u8(bit));
}

SIMD_INLINE v16 v16_load_bytes(const uint8_t *p)
{
    return vmovl_u8(vld1_u8(p));
}

SIMD_BINARY(m16, v16_gt, vcgtq_u16)
SIMD_BINARY(v16, v16_where, vandq_u16)

/* SIMD_ROOT_32 says what. */
SIMD_INLINE uint16x8_t v16_roots_32(uint32x4_t squares)
{
    const float32x4_t x = vmulq_n_f32(vcvtq_f32_u32(squares), SIMD_ROOT_32);
    return vreinterpretq_u16_u32(vcvtq_u32_f32(vsqrtq_f32(x)));
}

SIMD_INLINE v16 v16_lengths_16(v16 x, v16 y)
{
    const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(x));
    const uint32x4_t high = vmull_high_u16(x, x);
    return vrshrq_n_u16(vuzp1q_u16(v16_roots_32(vmlal_u16(low, vget_low_u16(y), vget_low_u16(y))),
                                   v16_roots_32(vmlal_high_u16(high, y, y))),
                        1);
}

SIMD_INLINE v32 v32_zero(void)
{
    return vdupq_n_u32(0);
}

SIMD_INLINE v32 v32_add(v32 sum, v16 a)
{
    return vpadalq_u16(sum, a);
}

SIMD_INLINE v32 v32_add_where(v32 sum, v16 a, m16 m)
{
    return v32_add(sum, v16_where(a, m));
}

SIMD_INLINE uint32_t v32_total(v32 sum)
{
    return vaddvq_u32(sum);
}

SIMD_INLINE vsum vsum_add_times(vsum sum, v8 a, uint32_t n)
{
    return vmlaq_n_u32(sum, vpaddlq_u16(vpaddlq_u8(a)), n);
}

#endif
