/*
 * floats.h for x86-64-v3.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FLOATS_AVX2_H
#define SAC_SIMD_FLOATS_AVX2_H

#include <immintrin.h>

#define VF 8

typedef __m256 vf;
typedef __m256i vi;
typedef __m256i mf; /* all bits of a lane, or none */
typedef struct {
    __m256d lo, hi;
} vd;

SIMD_INLINE vf vf_set(float x)
{
    return _mm256_set1_ps(x);
}

SIMD_INLINE vf vf_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

SIMD_INLINE vf vf_load_i16(const int16_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p)));
}

SIMD_INLINE void vf_store(float *p, vf a)
{
    _mm256_storeu_ps(p, a);
}

SIMD_INLINE vf vf_add(vf a, vf b)
{
    return _mm256_add_ps(a, b);
}

SIMD_INLINE vf vf_sub(vf a, vf b)
{
    return _mm256_sub_ps(a, b);
}

SIMD_INLINE vf vf_mul(vf a, vf b)
{
    return _mm256_mul_ps(a, b);
}

SIMD_INLINE vf vf_div(vf a, vf b)
{
    return _mm256_div_ps(a, b);
}

SIMD_INLINE vf vf_sqrt(vf a)
{
    return _mm256_sqrt_ps(a);
}

SIMD_INLINE vf vf_rsqrt_rough(vf a)
{
    return _mm256_rsqrt_ps(a);
}

SIMD_INLINE vf vf_fma(vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(a, b, c);
}

SIMD_INLINE vf vf_fnma(vf a, vf b, vf c)
{
    return _mm256_fnmadd_ps(a, b, c);
}

SIMD_INLINE vf vf_min(vf a, vf b)
{
    return _mm256_min_ps(a, b);
}

SIMD_INLINE vf vf_max(vf a, vf b)
{
    return _mm256_max_ps(a, b);
}

SIMD_INLINE vf vf_floor(vf a)
{
    return _mm256_floor_ps(a);
}

SIMD_INLINE vf vf_negate_odd(vf a, vf odd)
{
    __m256i sign = _mm256_slli_epi32(_mm256_castps_si256(odd), 31);
    return _mm256_castsi256_ps(_mm256_xor_si256(_mm256_castps_si256(a), sign));
}

SIMD_INLINE vf vf_keep(vf a)
{
    __asm__("" : "+v"(a));
    return a;
}

SIMD_INLINE vf vf_swap(vf a)
{
    return _mm256_permute_ps(a, 0xb1);
}

SIMD_INLINE vf vf_times_j(vf a)
{
    const __m256 low = _mm256_setr_ps(-0.0f, -0.0f, -0.0f, -0.0f, 0, 0, 0, 0);
    return _mm256_xor_ps(_mm256_permute2f128_ps(a, a, 1), low);
}

SIMD_INLINE mf vf_ge(vf a, vf b)
{
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GE_OQ));
}

SIMD_INLINE mf vf_ne(vf a, vf b)
{
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_NEQ_UQ));
}

SIMD_INLINE vf vf_select(mf m, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(m));
}

SIMD_INLINE float vf_total(vf a)
{
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}

SIMD_INLINE vi vi_set(int32_t x)
{
    return _mm256_set1_epi32(x);
}

SIMD_INLINE vi vi_load(const void *p)
{
    return _mm256_loadu_si256(p);
}

SIMD_INLINE void vi_store(void *p, vi a)
{
    _mm256_storeu_si256(p, a);
}

SIMD_INLINE vi vi_add(vi a, vi b)
{
    return _mm256_add_epi32(a, b);
}

SIMD_INLINE vi vi_mul(vi a, vi b)
{
    return _mm256_mullo_epi32(a, b);
}

SIMD_INLINE vi vi_min(vi a, vi b)
{
    return _mm256_min_epi32(a, b);
}

SIMD_INLINE vi vi_max(vi a, vi b)
{
    return _mm256_max_epi32(a, b);
}

SIMD_INLINE mf vi_eq(vi a, vi b)
{
    return _mm256_cmpeq_epi32(a, b);
}

SIMD_INLINE mf vi_below(vi a, uint32_t n)
{
    const __m256i sign = _mm256_set1_epi32(INT32_MIN);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)(n ^ 0x80000000u)),
                              _mm256_xor_si256(a, sign));
}

SIMD_INLINE vi vi_select(mf m, vi yes, vi no)
{
    return _mm256_blendv_epi8(no, yes, m);
}

SIMD_INLINE vi vi_from_vf(vf a)
{
    return _mm256_cvttps_epi32(a);
}

SIMD_INLINE vf vf_from_vi(vi a)
{
    return _mm256_cvtepi32_ps(a);
}

SIMD_INLINE mf mf_and(mf a, mf b)
{
    return _mm256_and_si256(a, b);
}

SIMD_INLINE mf mf_or(mf a, mf b)
{
    return _mm256_or_si256(a, b);
}

SIMD_INLINE mf mf_all(void)
{
    return _mm256_set1_epi32(-1);
}

SIMD_INLINE uint32_t mf_bits(mf m)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(m));
}

SIMD_INLINE vd vd_load(const double *p)
{
    return (vd){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}

SIMD_INLINE vd vd_mul(vd a, vd b)
{
    return (vd){_mm256_mul_pd(a.lo, b.lo), _mm256_mul_pd(a.hi, b.hi)};
}

SIMD_INLINE vd vd_sqrt(vd a)
{
    return (vd){_mm256_sqrt_pd(a.lo), _mm256_sqrt_pd(a.hi)};
}

SIMD_INLINE vd vd_sub_1(vd a, double b)
{
    const __m256d x = _mm256_set1_pd(b);
    return (vd){_mm256_sub_pd(a.lo, x), _mm256_sub_pd(a.hi, x)};
}

SIMD_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return (vd){_mm256_fmadd_pd(a.lo, b.lo, c.lo), _mm256_fmadd_pd(a.hi, b.hi, c.hi)};
}

SIMD_INLINE vd vd_fnma(vd a, vd b, vd c)
{
    return (vd){_mm256_fnmadd_pd(a.lo, b.lo, c.lo), _mm256_fnmadd_pd(a.hi, b.hi, c.hi)};
}

SIMD_INLINE vd vd_from_vf(vf a)
{
    return (vd){_mm256_cvtps_pd(_mm256_castps256_ps128(a)),
                _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1))};
}

SIMD_INLINE vd vd_sub(vd a, vd b)
{
    return (vd){_mm256_sub_pd(a.lo, b.lo), _mm256_sub_pd(a.hi, b.hi)};
}

SIMD_INLINE vd vd_clamp(vd a, double most)
{
    const __m256d zero = _mm256_setzero_pd(), end = _mm256_set1_pd(most);
    return (vd){_mm256_min_pd(_mm256_max_pd(a.lo, zero), end),
                _mm256_min_pd(_mm256_max_pd(a.hi, zero), end)};
}

SIMD_INLINE vd vd_floor(vd a)
{
    return (vd){_mm256_floor_pd(a.lo), _mm256_floor_pd(a.hi)};
}

SIMD_INLINE mf vd_ne(vd a, vd b)
{
    const __m256 low = _mm256_castpd_ps(_mm256_cmp_pd(a.lo, b.lo, _CMP_NEQ_UQ));
    const __m256 high = _mm256_castpd_ps(_mm256_cmp_pd(a.hi, b.hi, _CMP_NEQ_UQ));
    const __m256d halves = _mm256_castps_pd(_mm256_shuffle_ps(low, high, 0x88));
    return _mm256_castpd_si256(_mm256_permute4x64_pd(halves, 0xd8));
}

SIMD_INLINE vi vi_from_vd(vd a)
{
    return _mm256_set_m128i(_mm256_cvttpd_epi32(a.hi), _mm256_cvttpd_epi32(a.lo));
}

SIMD_INLINE vf vf_from_vd(vd a)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(a.hi), _mm256_cvtpd_ps(a.lo));
}

SIMD_INLINE void vf_load2(vf *even, vf *odd, const float *p)
{
    const __m256 a = vf_load(p), b = vf_load(p + VF);
    const __m256 low = _mm256_permute2f128_ps(a, b, 0x20);
    const __m256 high = _mm256_permute2f128_ps(a, b, 0x31);
    *even = _mm256_shuffle_ps(low, high, 0x88);
    *odd = _mm256_shuffle_ps(low, high, 0xdd);
}

SIMD_INLINE void vf_store2(float *p, vf even, vf odd)
{
    const __m256 low = _mm256_unpacklo_ps(even, odd), high = _mm256_unpackhi_ps(even, odd);
    vf_store(p, _mm256_permute2f128_ps(low, high, 0x20));
    vf_store(p + VF, _mm256_permute2f128_ps(low, high, 0x31));
}

SIMD_INLINE void vf_store_halves(void *low, void *high, vf a)
{
    const __m256i order = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0,
                                           1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    const __m256i halves = _mm256_shuffle_epi8(_mm256_castps_si256(a), order);
    const __m256i both = _mm256_permute4x64_epi64(halves, 0xd8);
    _mm_storeu_si128(low, _mm256_castsi256_si128(both));
    _mm_storeu_si128(high, _mm256_extracti128_si256(both, 1));
}

SIMD_INLINE vf vf_octave(vf *a)
{
    const __m256i bits = _mm256_castps_si256(*a);
    const __m256i octave =
        _mm256_srai_epi32(_mm256_sub_epi32(bits, _mm256_set1_epi32(VF_SQRT_HALF)), 23);
    *a = _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(octave, 23)));
    return _mm256_cvtepi32_ps(octave);
}

SIMD_INLINE float vf_least(vf a)
{
    __m128 b = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_min_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_min_ss(b, _mm_movehdup_ps(b)));
}

SIMD_INLINE float vf_greatest(vf a)
{
    __m128 b = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_max_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_max_ss(b, _mm_movehdup_ps(b)));
}

SIMD_INLINE vf vf_min_halves(vf a, vf b)
{
    return vf_min(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}

SIMD_INLINE vf vf_min_quarters(vf a, vf b)
{
    return vf_min(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));
}

SIMD_INLINE void vf_least_of_8(float least[8], const float *rows)
{
    vf a[4];
    for (int i = 0; i < 4; i++, rows += 2 * VF)
        a[i] = vf_min_halves(vf_load(rows), vf_load(rows + VF));
    /* Of rows 0 and 2 in the lower half, 1 and 3 in the upper; 4 and 6, 5 and 7. */
    const vf b = vf_min_quarters(a[0], a[1]), c = vf_min_quarters(a[2], a[3]);
    const vf one = vf_min(_mm256_shuffle_ps(b, c, 0x88), _mm256_shuffle_ps(b, c, 0xdd));
    vf_store(least, _mm256_permutevar8x32_ps(one, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

SIMD_INLINE vf vf_fma_where(mf m, vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(_mm256_and_ps(_mm256_castsi256_ps(m), a), b, c);
}

SIMD_INLINE vf vf_fnma_where(mf m, vf a, vf b, vf c)
{
    return _mm256_fnmadd_ps(_mm256_and_ps(_mm256_castsi256_ps(m), a), b, c);
}

SIMD_INLINE vi vf_carry(vf *part, vi whole)
{
    const mf full = vf_ge(*part, vf_set(1)); /* -1 */
    *part = vf_sub(*part, _mm256_and_ps(_mm256_castsi256_ps(full), vf_set(1)));
    return _mm256_sub_epi32(whole, full);
}

#define VF_WINDOW 8

/* Permutes look at the last three bits of a place. */
SIMD_INLINE vf vf_pick_two(vf low, vf high, vi at)
{
    const vf is_high = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28));
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, at), _mm256_permutevar8x32_ps(high, at),
                            is_high);
}

SIMD_INLINE void vf_pick(vf *here, vf *next, const float *from, vi at, int n_windows)
{
    const vi after = vi_add(at, vi_set(1));
    const vf low = vf_load(from);
    if (n_windows == 1) {
        *here = _mm256_permutevar8x32_ps(low, at);
        *next = _mm256_permutevar8x32_ps(low, after);
        return;
    }
    const vf high = vf_load(from + VF);
    *here = vf_pick_two(low, high, at);
    *next = vf_pick_two(low, high, after);
    if (n_windows == 2)
        return;
    const vf third = vf_load(from + 2 * VF), last = vf_load(from + 3 * VF);
    *here = _mm256_blendv_ps(*here, vf_pick_two(third, last, at),
                             _mm256_castsi256_ps(_mm256_slli_epi32(at, 27)));
    *next = _mm256_blendv_ps(*next, vf_pick_two(third, last, after),
                             _mm256_castsi256_ps(_mm256_slli_epi32(after, 27)));
}

SIMD_INLINE void vf_transpose(vf v[VF])
{
    vf a[VF], b[VF];
    for (int i = 0; i < VF; i += 2) {
        a[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < VF; i += 4)
        for (int k = 0; k < 2; k++) {
            const __m256d low = _mm256_castps_pd(a[i + k]), high = _mm256_castps_pd(a[i + 2 + k]);
            b[i + 2 * k] = _mm256_castpd_ps(_mm256_unpacklo_pd(low, high));
            b[i + 2 * k + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low, high));
        }
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permute2f128_ps(b[i], b[4 + i], 0x20);
        v[4 + i] = _mm256_permute2f128_ps(b[i], b[4 + i], 0x31);
    }
}

#endif
