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

#define VC 8
typedef __m256i vc;

SIMD_INLINE vc vc_load(const uint32_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

SIMD_INLINE void vc_store(uint32_t *p, vc a)
{
    _mm256_storeu_si256((void *)p, a);
}

SIMD_INLINE vc vc_set(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

SIMD_BINARY(vc, vc_add, _mm256_add_epi32)
SIMD_BINARY(vc, vc_min, _mm256_min_epu32)

SIMD_INLINE vc vc_sums(vc a)
{
    a = _mm256_add_epi32(a, _mm256_slli_si256(a, 4));
    a = _mm256_add_epi32(a, _mm256_slli_si256(a, 8));
    const __m256i half = _mm256_permute2x128_si256(a, a, 0x08); /* 0 and the lower half */
    return _mm256_add_epi32(a, _mm256_shuffle_epi32(half, 0xff));
}

SIMD_INLINE vc vc_last(vc a)
{
    return _mm256_permutevar8x32_epi32(a, _mm256_set1_epi32(7));
}

SIMD_INLINE void vc_store_words(uint16_t *p, vc a)
{
    _mm_storeu_si128((void *)p,
                     _mm_packus_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}

/* As the last bits of 2^52 + 2^51 + x. */
SIMD_INLINE void vc_store_line(uint32_t *to, vc a, double slope, double base)
{
    __m256 x[2];
    for (int k = 0; k < 2; k++) {
        const __m128i half = k ? _mm256_extracti128_si256(a, 1) : _mm256_castsi256_si128(a);
        const __m256d y =
            _mm256_fmadd_pd(_mm256_cvtepi32_pd(half), _mm256_set1_pd(slope), _mm256_set1_pd(base));
        x[k] = _mm256_castpd_ps(_mm256_add_pd(y, _mm256_set1_pd(0x1.8p52)));
    }
    const __m256 even = _mm256_shuffle_ps(x[0], x[1], 0x88);
    _mm256_storeu_si256((void *)to, _mm256_permute4x64_epi64(_mm256_castps_si256(even), 0xd8));
}

#endif
