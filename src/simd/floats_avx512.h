/*
 * floats.h for x86-64-v4.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FLOATS_AVX512_H
#define SAC_SIMD_FLOATS_AVX512_H

#include <immintrin.h>

#define VF 16

typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 mf;
typedef struct {
    __m512d lo, hi;
} vd;

SIMD_INLINE vf vf_set(float x)
{
    return _mm512_set1_ps(x);
}

SIMD_INLINE vf vf_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

SIMD_INLINE vf vf_load_i16(const int16_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p)));
}

SIMD_INLINE void vf_store(float *p, vf a)
{
    _mm512_storeu_ps(p, a);
}

SIMD_INLINE vf vf_add(vf a, vf b)
{
    return _mm512_add_ps(a, b);
}

SIMD_INLINE vf vf_sub(vf a, vf b)
{
    return _mm512_sub_ps(a, b);
}

SIMD_INLINE vf vf_mul(vf a, vf b)
{
    return _mm512_mul_ps(a, b);
}

SIMD_INLINE vf vf_div(vf a, vf b)
{
    return _mm512_div_ps(a, b);
}

SIMD_INLINE vf vf_sqrt(vf a)
{
    return _mm512_sqrt_ps(a);
}

SIMD_INLINE vf vf_rsqrt_rough(vf a)
{
    return _mm512_rsqrt14_ps(a);
}

SIMD_INLINE vf vf_fma(vf a, vf b, vf c)
{
    return _mm512_fmadd_ps(a, b, c);
}

SIMD_INLINE vf vf_fnma(vf a, vf b, vf c)
{
    return _mm512_fnmadd_ps(a, b, c);
}

SIMD_INLINE vf vf_min(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}

SIMD_INLINE vf vf_max(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}

SIMD_INLINE vf vf_floor(vf a)
{
    return _mm512_floor_ps(a);
}

SIMD_INLINE vf vf_negate_odd(vf a, vf odd)
{
    __m512i sign = _mm512_slli_epi32(_mm512_castps_si512(odd), 31);
    return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(a), sign));
}

SIMD_INLINE vf vf_keep(vf a)
{
    __asm__("" : "+v"(a));
    return a;
}

SIMD_INLINE vf vf_swap(vf a)
{
    return _mm512_permute_ps(a, 0xb1);
}

SIMD_INLINE vf vf_times_j(vf a)
{
    const __m512 swapped = _mm512_shuffle_f32x4(a, a, 0x4e);
    return _mm512_mask_xor_ps(swapped, 0x00ff, swapped, _mm512_set1_ps(-0.0f));
}

SIMD_INLINE mf vf_ge(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}

SIMD_INLINE mf vf_ne(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ);
}

SIMD_INLINE vf vf_select(mf m, vf yes, vf no)
{
    return _mm512_mask_mov_ps(no, m, yes);
}

SIMD_INLINE float vf_total(vf a)
{
    return _mm512_reduce_add_ps(a);
}

SIMD_INLINE vi vi_set(int32_t x)
{
    return _mm512_set1_epi32(x);
}

SIMD_INLINE vi vi_load(const void *p)
{
    return _mm512_loadu_si512(p);
}

SIMD_INLINE void vi_store(void *p, vi a)
{
    _mm512_storeu_si512(p, a);
}

SIMD_INLINE vi vi_add(vi a, vi b)
{
    return _mm512_add_epi32(a, b);
}

SIMD_INLINE vi vi_mul(vi a, vi b)
{
    return _mm512_mullo_epi32(a, b);
}

SIMD_INLINE vi vi_min(vi a, vi b)
{
    return _mm512_min_epi32(a, b);
}

SIMD_INLINE vi vi_max(vi a, vi b)
{
    return _mm512_max_epi32(a, b);
}

SIMD_INLINE mf vi_eq(vi a, vi b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}

SIMD_INLINE mf vi_below(vi a, uint32_t n)
{
    return _mm512_cmplt_epu32_mask(a, _mm512_set1_epi32((int)n));
}

SIMD_INLINE vi vi_select(mf m, vi yes, vi no)
{
    return _mm512_mask_mov_epi32(no, m, yes);
}

SIMD_INLINE vi vi_from_vf(vf a)
{
    return _mm512_cvttps_epi32(a);
}

SIMD_INLINE vf vf_from_vi(vi a)
{
    return _mm512_cvtepi32_ps(a);
}

SIMD_INLINE mf mf_and(mf a, mf b)
{
    return a & b;
}

SIMD_INLINE mf mf_or(mf a, mf b)
{
    return a | b;
}

SIMD_INLINE mf mf_all(void)
{
    return 0xffff;
}

SIMD_INLINE uint32_t mf_bits(mf m)
{
    return m;
}

SIMD_INLINE vd vd_load(const double *p)
{
    return (vd){_mm512_loadu_pd(p), _mm512_loadu_pd(p + 8)};
}

SIMD_INLINE vd vd_mul(vd a, vd b)
{
    return (vd){_mm512_mul_pd(a.lo, b.lo), _mm512_mul_pd(a.hi, b.hi)};
}

SIMD_INLINE vd vd_sqrt(vd a)
{
    return (vd){_mm512_sqrt_pd(a.lo), _mm512_sqrt_pd(a.hi)};
}

SIMD_INLINE vd vd_sub_1(vd a, double b)
{
    const __m512d x = _mm512_set1_pd(b);
    return (vd){_mm512_sub_pd(a.lo, x), _mm512_sub_pd(a.hi, x)};
}

SIMD_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return (vd){_mm512_fmadd_pd(a.lo, b.lo, c.lo), _mm512_fmadd_pd(a.hi, b.hi, c.hi)};
}

SIMD_INLINE vd vd_fnma(vd a, vd b, vd c)
{
    return (vd){_mm512_fnmadd_pd(a.lo, b.lo, c.lo), _mm512_fnmadd_pd(a.hi, b.hi, c.hi)};
}

SIMD_INLINE vd vd_from_vf(vf a)
{
    return (vd){_mm512_cvtps_pd(_mm512_castps512_ps256(a)),
                _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1))};
}

SIMD_INLINE vd vd_sub(vd a, vd b)
{
    return (vd){_mm512_sub_pd(a.lo, b.lo), _mm512_sub_pd(a.hi, b.hi)};
}

SIMD_INLINE vd vd_clamp(vd a, double most)
{
    const __m512d zero = _mm512_setzero_pd(), end = _mm512_set1_pd(most);
    return (vd){_mm512_min_pd(_mm512_max_pd(a.lo, zero), end),
                _mm512_min_pd(_mm512_max_pd(a.hi, zero), end)};
}

SIMD_INLINE vd vd_floor(vd a)
{
    return (vd){_mm512_floor_pd(a.lo), _mm512_floor_pd(a.hi)};
}

SIMD_INLINE mf vd_ne(vd a, vd b)
{
    return (mf)(_mm512_cmp_pd_mask(a.lo, b.lo, _CMP_NEQ_UQ) |
                _mm512_cmp_pd_mask(a.hi, b.hi, _CMP_NEQ_UQ) << 8);
}

SIMD_INLINE vi vi_from_vd(vd a)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvttpd_epi32(a.lo)),
                              _mm512_cvttpd_epi32(a.hi), 1);
}

SIMD_INLINE vf vf_from_vd(vd a)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a.lo)), _mm512_cvtpd_ps(a.hi),
                              1);
}

SIMD_INLINE void vf_load2(vf *even, vf *odd, const float *p)
{
    const __m512i at = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512 a = vf_load(p), b = vf_load(p + VF);
    *even = _mm512_permutex2var_ps(a, at, b);
    *odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(at, _mm512_set1_epi32(1)), b);
}

SIMD_INLINE void vf_store2(float *p, vf even, vf odd)
{
    const __m512i at = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    vf_store(p, _mm512_permutex2var_ps(even, at, odd));
    vf_store(p + VF, _mm512_permutex2var_ps(even, _mm512_add_epi32(at, _mm512_set1_epi32(8)), odd));
}

SIMD_INLINE void vf_store_halves(void *low, void *high, vf a)
{
    const __m512i bits = _mm512_castps_si512(a);
    _mm256_storeu_si256(low, _mm512_cvtepi32_epi16(bits));
    _mm256_storeu_si256(high, _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits, 16)));
}

SIMD_INLINE vf vf_octave(vf *a)
{
    const __m512i bits = _mm512_castps_si512(*a);
    const __m512i octave =
        _mm512_srai_epi32(_mm512_sub_epi32(bits, _mm512_set1_epi32(VF_SQRT_HALF)), 23);
    *a = _mm512_castsi512_ps(_mm512_sub_epi32(bits, _mm512_slli_epi32(octave, 23)));
    return _mm512_cvtepi32_ps(octave);
}

SIMD_INLINE float vf_least(vf a)
{
    return _mm512_reduce_min_ps(a);
}

SIMD_INLINE float vf_greatest(vf a)
{
    return _mm512_reduce_max_ps(a);
}

SIMD_INLINE vf vf_min_halves(vf a, vf b)
{
    return vf_min(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}

SIMD_INLINE vf vf_min_quarters(vf a, vf b)
{
    return vf_min(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}

SIMD_INLINE void vf_least_of_8(float least[8], const float *rows)
{
    const __m512i at = _mm512_setr_epi32(0, 4, 8, 12, 2, 6, 10, 14, 0, 0, 0, 0, 0, 0, 0, 0);
    vf a[4];
    for (int i = 0; i < 4; i++, rows += 2 * VF)
        a[i] = vf_min_halves(vf_load(rows), vf_load(rows + VF));
    /* Quarter q is of row q, and of row 4 + q. */
    const vf b = vf_min_quarters(a[0], a[1]), c = vf_min_quarters(a[2], a[3]);
    const vf two = vf_min(_mm512_shuffle_ps(b, c, 0x44), _mm512_shuffle_ps(b, c, 0xee));
    const vf one = _mm512_permutexvar_ps(at, vf_min(two, vf_swap(two)));
    _mm256_storeu_ps(least, _mm512_castps512_ps256(one));
}

SIMD_INLINE vf vf_fma_where(mf m, vf a, vf b, vf c)
{
    return _mm512_mask3_fmadd_ps(a, b, c, m);
}

SIMD_INLINE vf vf_fnma_where(mf m, vf a, vf b, vf c)
{
    return _mm512_mask3_fnmadd_ps(a, b, c, m);
}

SIMD_INLINE vi vf_carry(vf *part, vi whole)
{
    const mf full = vf_ge(*part, vf_set(1));
    *part = _mm512_mask_sub_ps(*part, full, *part, vf_set(1));
    return _mm512_mask_add_epi32(whole, full, whole, vi_set(1));
}

#define VF_STORES_WHERE
SIMD_INLINE int vf_store_where(float *p, vf a, uint32_t lanes)
{
    vf_store(p, _mm512_maskz_compress_ps((mf)lanes, a));
    return __builtin_popcount(lanes);
}

SIMD_INLINE int vi_store_where(int32_t *p, vi a, uint32_t lanes)
{
    vi_store(p, _mm512_maskz_compress_epi32((mf)lanes, a));
    return __builtin_popcount(lanes);
}

#define VF_WINDOW 16

SIMD_INLINE void vf_pick(vf *here, vf *next, const float *from, vi at, int n_windows)
{
    const vi after = vi_add(at, vi_set(1));
    const vf low = vf_load(from);
    if (n_windows == 1) {
        *here = _mm512_permutexvar_ps(at, low);
        *next = _mm512_permutexvar_ps(after, low);
        return;
    }
    const vf high = vf_load(from + VF);
    *here = _mm512_permutex2var_ps(low, at, high);
    *next = _mm512_permutex2var_ps(low, after, high);
    if (n_windows == 2)
        return;
    const vf third = vf_load(from + 2 * VF), last = vf_load(from + 3 * VF);
    const vi beyond = vi_set(2 * VF);
    *here = vf_select(_mm512_test_epi32_mask(at, beyond), _mm512_permutex2var_ps(third, at, last),
                      *here);
    *next = vf_select(_mm512_test_epi32_mask(after, beyond),
                      _mm512_permutex2var_ps(third, after, last), *next);
}

SIMD_INLINE void vf_transpose(vf v[VF])
{
    vf a[VF];
    for (int i = 0; i < VF; i += 2) {
        a[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
        a[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < VF; i += 4) {
        for (int k = 0; k < 2; k++) {
            __m512d low = _mm512_castps_pd(a[i + k]), high = _mm512_castps_pd(a[i + 2 + k]);
            v[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            v[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    }
    /* v[4 g + k] holds column 4 q + k of rows 4 g .. 4 g + 3 in its quarter q. */
    for (int k = 0; k < 4; k++) {
        vf p = _mm512_shuffle_f32x4(v[k], v[4 + k], 0x88);
        vf q = _mm512_shuffle_f32x4(v[8 + k], v[12 + k], 0x88);
        vf r = _mm512_shuffle_f32x4(v[k], v[4 + k], 0xdd);
        vf s = _mm512_shuffle_f32x4(v[8 + k], v[12 + k], 0xdd);
        a[k] = _mm512_shuffle_f32x4(p, q, 0x88);
        a[8 + k] = _mm512_shuffle_f32x4(p, q, 0xdd);
        a[4 + k] = _mm512_shuffle_f32x4(r, s, 0x88);
        a[12 + k] = _mm512_shuffle_f32x4(r, s, 0xdd);
    }
    for (int i = 0; i < VF; i++)
        v[i] = a[i];
}

#endif
