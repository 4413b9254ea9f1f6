/*
 * levels.h for x86-64-v3.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_LEVELS_AVX2_H
#define SAC_SIMD_LEVELS_AVX2_H

/* `at`: 16 a of four bytes, 16 bits each. */
SIMD_INLINE __m256d v8_two_lines(const double *line, uint64_t at)
{
    const char *from = (const char *)line;
    const __m128d one = _mm_loadu_pd((const void *)(from + (at & 65535)));
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(one),
                                _mm_loadu_pd((const void *)(from + (at >> 32 & 65535))), 1);
}

SIMD_INLINE __m128i v8_four_on_lines(const double *line, uint64_t at, const double *weight)
{
    const __m256d p = v8_two_lines(line, at), q = v8_two_lines(line, at >> 16);
    return _mm256_cvttpd_epi32(_mm256_fmadd_pd(_mm256_unpackhi_pd(p, q), _mm256_loadu_pd(weight),
                                               _mm256_unpacklo_pd(p, q)));
}

SIMD_INLINE v32_halves v8_on_lines(const double line[512], v8 a, const double *weight)
{
    const __m256i zero = _mm256_setzero_si256();
    const v16x2 wide = v8_widen(a);
    uint64_t at[V8 / 4];
    v16 low[2], high[2];
    v16_store(at, v16_shl(wide.lo, 4));
    v16_store(at + 4, v16_shl(wide.hi, 4));
    for (int k = 0; k < 2; k++) {
        __m128i x[4];
        for (int i = 0; i < 4; i++)
            x[i] = v8_four_on_lines(line, at[4 * k + i], weight + V16 * k + 4 * i);
        const __m256i p = _mm256_set_m128i(x[2], x[0]), q = _mm256_set_m128i(x[3], x[1]);
        low[k] = _mm256_packus_epi32(_mm256_blend_epi16(p, zero, 0xaa),
                                     _mm256_blend_epi16(q, zero, 0xaa));
        high[k] = _mm256_packus_epi32(_mm256_srli_epi32(p, 16), _mm256_srli_epi32(q, 16));
    }
    return (v32_halves){{low[0], low[1]}, {high[0], high[1]}};
}

SIMD_INLINE __m256i v8_eight_inverse(__m128i a)
{
    const __m256 x = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(a));
    return _mm256_cvttps_epi32(_mm256_div_ps(_mm256_set1_ps(65535), x));
}

SIMD_INLINE v16 v16_inverse(v16 a)
{
    const __m256i p = v8_eight_inverse(_mm256_castsi256_si128(a));
    const __m256i q = v8_eight_inverse(_mm256_extracti128_si256(a, 1));
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(p, q), 0xd8);
}

SIMD_INLINE v16x2 v8_inverse(v8 a)
{
    const v16x2 wide = v8_widen(a);
    return (v16x2){v16_inverse(wide.lo), v16_inverse(wide.hi)};
}

#endif
