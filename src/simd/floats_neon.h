/*
 * floats.h for AArch64.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FLOATS_NEON_H
#define SAC_SIMD_FLOATS_NEON_H

#include <arm_neon.h>

#define VF 4

typedef float32x4_t vf;
typedef int32x4_t vi;
typedef uint32x4_t mf;
typedef struct {
    float64x2_t lo, hi;
} vd;

SIMD_INLINE vf vf_set(float x)
{
    return vdupq_n_f32(x);
}

SIMD_INLINE vf vf_load(const float *p)
{
    return vld1q_f32(p);
}

SIMD_INLINE vf vf_load_i16(const int16_t *p)
{
    return vcvtq_f32_s32(vmovl_s16(vld1_s16(p)));
}

SIMD_INLINE void vf_store(float *p, vf a)
{
    vst1q_f32(p, a);
}

SIMD_INLINE vf vf_add(vf a, vf b)
{
    return vaddq_f32(a, b);
}

SIMD_INLINE vf vf_sub(vf a, vf b)
{
    return vsubq_f32(a, b);
}

SIMD_INLINE vf vf_mul(vf a, vf b)
{
    return vmulq_f32(a, b);
}

SIMD_INLINE vf vf_div(vf a, vf b)
{
    return vdivq_f32(a, b);
}

SIMD_INLINE vf vf_sqrt(vf a)
{
    return vsqrtq_f32(a);
}

SIMD_INLINE vf vf_rsqrt_rough(vf a)
{
    vf y = vrsqrteq_f32(a);
    return vmulq_f32(y, vrsqrtsq_f32(vmulq_f32(a, y), y));
}

SIMD_INLINE vf vf_fma(vf a, vf b, vf c)
{
    return vfmaq_f32(c, a, b);
}

SIMD_INLINE vf vf_fnma(vf a, vf b, vf c)
{
    return vfmsq_f32(c, a, b);
}

SIMD_INLINE vf vf_min(vf a, vf b)
{
    return vminnmq_f32(a, b);
}

SIMD_INLINE vf vf_max(vf a, vf b)
{
    return vmaxnmq_f32(a, b);
}

SIMD_INLINE vf vf_floor(vf a)
{
    return vrndmq_f32(a);
}

SIMD_INLINE vf vf_negate_odd(vf a, vf odd)
{
    uint32x4_t sign = vshlq_n_u32(vreinterpretq_u32_f32(odd), 31);
    return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), sign));
}

SIMD_INLINE vf vf_keep(vf a)
{
    return a;
}

SIMD_INLINE vf vf_swap(vf a)
{
    return vrev64q_f32(a);
}

SIMD_INLINE vf vf_times_j(vf a)
{
    return vcombine_f32(vneg_f32(vget_high_f32(a)), vget_low_f32(a));
}

SIMD_INLINE mf vf_ge(vf a, vf b)
{
    return vcgeq_f32(a, b);
}

SIMD_INLINE mf vf_ne(vf a, vf b)
{
    return vmvnq_u32(vceqq_f32(a, b));
}

SIMD_INLINE vf vf_select(mf m, vf yes, vf no)
{
    return vbslq_f32(m, yes, no);
}

SIMD_INLINE float vf_total(vf a)
{
    return vaddvq_f32(a);
}

SIMD_INLINE vi vi_set(int32_t x)
{
    return vdupq_n_s32(x);
}

SIMD_INLINE vi vi_load(const void *p)
{
    return vld1q_s32(p);
}

SIMD_INLINE void vi_store(void *p, vi a)
{
    vst1q_s32(p, a);
}

SIMD_INLINE vi vi_add(vi a, vi b)
{
    return vaddq_s32(a, b);
}

SIMD_INLINE vi vi_mul(vi a, vi b)
{
    return vmulq_s32(a, b);
}

SIMD_INLINE vi vi_min(vi a, vi b)
{
    return vminq_s32(a, b);
}

SIMD_INLINE vi vi_max(vi a, vi b)
{
    return vmaxq_s32(a, b);
}

SIMD_INLINE mf vi_eq(vi a, vi b)
{
    return vceqq_s32(a, b);
}

SIMD_INLINE mf vi_below(vi a, uint32_t n)
{
    return vcltq_u32(vreinterpretq_u32_s32(a), vdupq_n_u32(n));
}

SIMD_INLINE vi vi_select(mf m, vi yes, vi no)
{
    return vbslq_s32(m, yes, no);
}

SIMD_INLINE vi vi_from_vf(vf a)
{
    return vcvtq_s32_f32(a);
}

SIMD_INLINE vf vf_from_vi(vi a)
{
    return vcvtq_f32_s32(a);
}

SIMD_INLINE mf mf_and(mf a, mf b)
{
    return vandq_u32(a, b);
}

SIMD_INLINE mf mf_or(mf a, mf b)
{
    return vorrq_u32(a, b);
}

SIMD_INLINE mf mf_all(void)
{
    return vdupq_n_u32(UINT32_MAX);
}

SIMD_INLINE uint32_t mf_bits(mf m)
{
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(m, vld1q_u32(bit)));
}

SIMD_INLINE vd vd_load(const double *p)
{
    return (vd){vld1q_f64(p), vld1q_f64(p + 2)};
}

SIMD_INLINE vd vd_mul(vd a, vd b)
{
    return (vd){vmulq_f64(a.lo, b.lo), vmulq_f64(a.hi, b.hi)};
}

SIMD_INLINE vd vd_sqrt(vd a)
{
    return (vd){vsqrtq_f64(a.lo), vsqrtq_f64(a.hi)};
}

SIMD_INLINE vd vd_sub_1(vd a, double b)
{
    const float64x2_t x = vdupq_n_f64(b);
    return (vd){vsubq_f64(a.lo, x), vsubq_f64(a.hi, x)};
}

SIMD_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return (vd){vfmaq_f64(c.lo, a.lo, b.lo), vfmaq_f64(c.hi, a.hi, b.hi)};
}

SIMD_INLINE vd vd_fnma(vd a, vd b, vd c)
{
    return (vd){vfmsq_f64(c.lo, a.lo, b.lo), vfmsq_f64(c.hi, a.hi, b.hi)};
}

SIMD_INLINE vd vd_from_vf(vf a)
{
    return (vd){vcvt_f64_f32(vget_low_f32(a)), vcvt_high_f64_f32(a)};
}

SIMD_INLINE vd vd_sub(vd a, vd b)
{
    return (vd){vsubq_f64(a.lo, b.lo), vsubq_f64(a.hi, b.hi)};
}

SIMD_INLINE vd vd_clamp(vd a, double most)
{
    const float64x2_t zero = vdupq_n_f64(0), end = vdupq_n_f64(most);
    return (vd){vminq_f64(vmaxnmq_f64(a.lo, zero), end), vminq_f64(vmaxnmq_f64(a.hi, zero), end)};
}

SIMD_INLINE vd vd_floor(vd a)
{
    return (vd){vrndmq_f64(a.lo), vrndmq_f64(a.hi)};
}

SIMD_INLINE mf vd_ne(vd a, vd b)
{
    const uint64x2_t low = vceqq_f64(a.lo, b.lo), high = vceqq_f64(a.hi, b.hi);
    return vmvnq_u32(vcombine_u32(vmovn_u64(low), vmovn_u64(high)));
}

SIMD_INLINE vi vi_from_vd(vd a)
{
    return vcombine_s32(vmovn_s64(vcvtq_s64_f64(a.lo)), vmovn_s64(vcvtq_s64_f64(a.hi)));
}

SIMD_INLINE vf vf_from_vd(vd a)
{
    return vcvt_high_f32_f64(vcvt_f32_f64(a.lo), a.hi);
}

SIMD_INLINE void vf_load2(vf *even, vf *odd, const float *p)
{
    const float32x4x2_t a = vld2q_f32(p);
    *even = a.val[0];
    *odd = a.val[1];
}

SIMD_INLINE void vf_store2(float *p, vf even, vf odd)
{
    vst2q_f32(p, (float32x4x2_t){{even, odd}});
}

SIMD_INLINE void vf_store_halves(void *low, void *high, vf a)
{
    const uint32x4_t bits = vreinterpretq_u32_f32(a);
    vst1_u16(low, vmovn_u32(bits));
    vst1_u16(high, vshrn_n_u32(bits, 16));
}

SIMD_INLINE vf vf_octave(vf *a)
{
    const int32x4_t bits = vreinterpretq_s32_f32(*a);
    const int32x4_t octave = vshrq_n_s32(vsubq_s32(bits, vdupq_n_s32(VF_SQRT_HALF)), 23);
    *a = vreinterpretq_f32_s32(vsubq_s32(bits, vshlq_n_s32(octave, 23)));
    return vcvtq_f32_s32(octave);
}

SIMD_INLINE float vf_least(vf a)
{
    return vminvq_f32(a);
}

SIMD_INLINE float vf_greatest(vf a)
{
    return vmaxvq_f32(a);
}

SIMD_INLINE void vf_least_of_8(float least[8], const float *rows)
{
    for (int i = 0; i < 8; i++)
        least[i] = vf_least(vf_load(rows + i * VF));
}

SIMD_INLINE vf vf_fma_where(mf m, vf a, vf b, vf c)
{
    return vfmaq_f32(c, vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(a))), b);
}

SIMD_INLINE vf vf_fnma_where(mf m, vf a, vf b, vf c)
{
    return vfmsq_f32(c, vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(a))), b);
}

SIMD_INLINE vi vf_carry(vf *part, vi whole)
{
    const mf full = vf_ge(*part, vf_set(1)); /* -1 */
    *part = vf_sub(*part, vreinterpretq_f32_u32(vandq_u32(full, vreinterpretq_u32_f32(vf_set(1)))));
    return vsubq_s32(whole, vreinterpretq_s32_u32(full));
}

#define VF_WINDOW 8

SIMD_INLINE void vf_pick(vf *here, vf *next, const float *from, vi at, int n_windows)
{
    const uint32x4_t one = vdupq_n_u32(0x04040404), bytes = vdupq_n_u32(0x03020100);
    const uint32x4_t first = vmlaq_u32(bytes, vreinterpretq_u32_s32(at), one);
    const uint8x16_t i = vreinterpretq_u8_u32(first);
    const uint8x16_t k = vreinterpretq_u8_u32(vaddq_u32(first, one));
    const uint8_t *x = (const uint8_t *)from;
    if (n_windows == 1) {
        const uint8x16x2_t v = {{vld1q_u8(x), vld1q_u8(x + 16)}};
        *here = vreinterpretq_f32_u8(vqtbl2q_u8(v, i));
        *next = vreinterpretq_f32_u8(vqtbl2q_u8(v, k));
        return;
    }
    const uint8x16x4_t v = {{vld1q_u8(x), vld1q_u8(x + 16), vld1q_u8(x + 32), vld1q_u8(x + 48)}};
    *here = vreinterpretq_f32_u8(vqtbl4q_u8(v, i));
    *next = vreinterpretq_f32_u8(vqtbl4q_u8(v, k));
    if (n_windows == 2)
        return;
    /* What is beyond the first 64 bytes is 0 so far, and from the next ones. */
    const uint8x16_t half = vdupq_n_u8(64);
    const uint8x16x4_t w = {
        {vld1q_u8(x + 64), vld1q_u8(x + 80), vld1q_u8(x + 96), vld1q_u8(x + 112)}};
    *here = vreinterpretq_f32_u8(vqtbx4q_u8(vreinterpretq_u8_f32(*here), w, vsubq_u8(i, half)));
    *next = vreinterpretq_f32_u8(vqtbx4q_u8(vreinterpretq_u8_f32(*next), w, vsubq_u8(k, half)));
}

SIMD_INLINE void vf_transpose(vf v[VF])
{
    const float32x4x2_t a = vzipq_f32(v[0], v[2]), b = vzipq_f32(v[1], v[3]);
    const float32x4x2_t low = vzipq_f32(a.val[0], b.val[0]), high = vzipq_f32(a.val[1], b.val[1]);
    v[0] = low.val[0];
    v[1] = low.val[1];
    v[2] = high.val[0];
    v[3] = high.val[1];
}

#endif
