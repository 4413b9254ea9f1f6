/*
 * words.h for x86-64-v3.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_WORDS_AVX2_H
#define SAC_SIMD_WORDS_AVX2_H

#include "simd/words_x86.h"

typedef w16x3 v16x3;
typedef struct {
    __m256d x[4];
} v16d;
typedef struct {
    __m256i x[2]; /* 8 pairs each */
} v16p;

#define v16_load3 w16_load3
#define v16_store3 w16_store3

SIMD_BINARY(v16, v16_avg, _mm256_avg_epu16)

SIMD_INLINE bool v16_any_zero(v16 a)
{
    return _mm256_movemask_epi8(_mm256_cmpeq_epi16(a, _mm256_setzero_si256())) != 0;
}

/* From the exponent of a as a float: 2^(e - 1) <= a < 2^e becomes 2^(16 - e). */
SIMD_INLINE __m256i v16_eight_lead(__m256i a)
{
    const __m256i e =
        _mm256_and_si256(_mm256_castps_si256(_mm256_cvtepi32_ps(a)), _mm256_set1_epi32(0x7f800000));
    const __m256i lead = _mm256_sub_epi32(_mm256_set1_epi32((int)((2U * 127 + 15) << 23)), e);
    return _mm256_cvttps_epi32(_mm256_castsi256_ps(lead));
}

SIMD_INLINE v16 v16_lead(v16 a)
{
    const __m256i zero = _mm256_setzero_si256();
    return _mm256_packus_epi32(v16_eight_lead(_mm256_unpacklo_epi16(a, zero)),
                               v16_eight_lead(_mm256_unpackhi_epi16(a, zero)));
}

SIMD_INLINE v16x2 v16_look_up_halves(const uint32_t *table, v16 a)
{
    const w16x2 x = w16_look_up_halves(table, a);
    return (v16x2){x.c[0], x.c[1]};
}

SIMD_INLINE v16d v16d_set(double x)
{
    const __m256d all = _mm256_set1_pd(x);
    return (v16d){{all, all, all, all}};
}

/* As the last bits of 2^52 + x. */
SIMD_INLINE v16d v16d_load_u32(const uint32_t *p)
{
    v16d r;
    for (int k = 0; k < 4; k++) {
        const __m256i x = _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)(p + 4 * k)));
        r.x[k] = _mm256_or_pd(_mm256_castsi256_pd(x), _mm256_set1_pd(0x1p52));
    }
    return r;
}

SIMD_INLINE v16d v16d_from(v16 a)
{
    v16d r;
    for (int k = 0; k < 2; k++) {
        const __m128i half = k ? _mm256_extracti128_si256(a, 1) : _mm256_castsi256_si128(a);
        r.x[2 * k] = _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(half));
        r.x[2 * k + 1] = _mm256_cvtepi32_pd(_mm_unpackhi_epi16(half, _mm_setzero_si128()));
    }
    return r;
}

/* As the last bits of 2^52 + a. */
SIMD_INLINE v16x2 v16d_halves(v16d a)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i x[2];
    for (int k = 0; k < 4; k++)
        a.x[k] = _mm256_add_pd(a.x[k], _mm256_set1_pd(0x1p52));
    for (int k = 0; k < 2; k++)
        x[k] = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(a.x[2 * k]),
                                                     _mm256_castpd_ps(a.x[2 * k + 1]), 0x88));
    const __m256i lo = _mm256_packus_epi32(_mm256_blend_epi16(x[0], zero, 0xaa),
                                           _mm256_blend_epi16(x[1], zero, 0xaa));
    const __m256i hi =
        _mm256_packus_epi32(_mm256_srli_epi32(x[0], 16), _mm256_srli_epi32(x[1], 16));
    return (v16x2){_mm256_permutevar8x32_epi32(lo, order), _mm256_permutevar8x32_epi32(hi, order)};
}

SIMD_INLINE v16d v16d_load(const double *p)
{
    return (v16d){{_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4), _mm256_loadu_pd(p + 8),
                   _mm256_loadu_pd(p + 12)}};
}

SIMD_INLINE v16p v16p_load(const int16_t *p)
{
    return (v16p){
        {_mm256_loadu_si256((const void *)p), _mm256_loadu_si256((const void *)(p + 16))}};
}

SIMD_INLINE v16p v16p_look_up(const uint16_t *a, const uint16_t *b, const uint16_t *at)
{
    return (v16p){{w16_pairs(a, b, at), w16_pairs(a, b, at + 8)}};
}

SIMD_INLINE void v16_store_pairs(uint32_t *to, v16 a, v16 b)
{
    a = _mm256_permute4x64_epi64(a, 0xd8);
    b = _mm256_permute4x64_epi64(b, 0xd8);
    _mm256_storeu_si256((void *)to, _mm256_unpacklo_epi16(a, b));
    _mm256_storeu_si256((void *)(to + 8), _mm256_unpackhi_epi16(a, b));
}

SIMD_INLINE v16p v16p_of_table(const uint32_t *table, const uint16_t *at)
{
    return (v16p){{w16_table_pairs(table, at), w16_table_pairs(table, at + 8)}};
}

SIMD_INLINE v16d v16p_mix(v16p a, v16p b)
{
    v16d r;
    for (int k = 0; k < 2; k++) {
        const __m256i sums = _mm256_madd_epi16(a.x[k], b.x[k]);
        r.x[2 * k] = _mm256_cvtepi32_pd(_mm256_castsi256_si128(sums));
        r.x[2 * k + 1] = _mm256_cvtepi32_pd(_mm256_extracti128_si256(sums, 1));
    }
    return r;
}

SIMD_INLINE v16d v16d_fma(v16d a, v16d b, v16d c)
{
    for (int k = 0; k < 4; k++)
        a.x[k] = _mm256_fmadd_pd(a.x[k], b.x[k], c.x[k]);
    return a;
}

#endif
