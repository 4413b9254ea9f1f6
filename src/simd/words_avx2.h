/*
 * words.h for x86-64-v3.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_WORDS_AVX2_H
#define SAC_SIMD_WORDS_AVX2_H

#include "simd/words_x86.h"

typedef w16x3 v16x3;
typedef w16x4 v16x4;
typedef struct {
    __m256d x[4];
} v16d;

#define v16_load3 w16_load3
#define v16_store3 w16_store3
#define v16_look_up_56 w16_look_up_56

SIMD_BINARY(v16, v16_xor, _mm256_xor_si256)

SIMD_INLINE v16 v16_carry(v16 a, v16 b)
{
    const __m256i none = _mm256_cmpeq_epi16(_mm256_adds_epu16(a, b), _mm256_add_epi16(a, b));
    return _mm256_add_epi16(none, _mm256_set1_epi16(1));
}

SIMD_INLINE bool v16_any_zero(v16 a)
{
    return _mm256_movemask_epi8(_mm256_cmpeq_epi16(a, _mm256_setzero_si256())) != 0;
}

SIMD_INLINE v16d v16d_set(double x)
{
    const __m256d all = _mm256_set1_pd(x);
    return (v16d){{all, all, all, all}};
}

/* As the last bits of 2^52 + x. */
SIMD_INLINE v16d v16d_load_u32(const uint32_t *p)
{
    const __m256d big = _mm256_set1_pd(0x1p52);
    v16d r;
    for (int k = 0; k < 4; k++) {
        const __m256i x = _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)(p + 4 * k)));
        r.x[k] = _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(x), big), big);
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

SIMD_INLINE v16 v16_from(v16d a)
{
    const __m256i p = _mm256_set_m128i(_mm256_cvttpd_epi32(a.x[2]), _mm256_cvttpd_epi32(a.x[0]));
    const __m256i q = _mm256_set_m128i(_mm256_cvttpd_epi32(a.x[3]), _mm256_cvttpd_epi32(a.x[1]));
    return _mm256_packus_epi32(p, q);
}

#endif
