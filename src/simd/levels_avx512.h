/*
 * levels.h for x86-64-v4 with VBMI, VBMI2 and VNNI.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_LEVELS_AVX512_H
#define SAC_SIMD_LEVELS_AVX512_H

/* `at`: 16 a of four bytes, 16 bits each. */
SIMD_INLINE __m256d v8_two_lines(const double *line, uint64_t at)
{
    const char *from = (const char *)line;
    const __m128d one = _mm_loadu_pd((const void *)(from + (at & 65535)));
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(one),
                                _mm_loadu_pd((const void *)(from + (at >> 32 & 65535))), 1);
}

SIMD_INLINE __m256i v8_eight_on_lines(const double *line, const uint64_t *at, const double *weight)
{
    const __m512d p = _mm512_insertf64x4(_mm512_castpd256_pd512(v8_two_lines(line, at[0])),
                                         v8_two_lines(line, at[1]), 1);
    const __m512d q = _mm512_insertf64x4(_mm512_castpd256_pd512(v8_two_lines(line, at[0] >> 16)),
                                         v8_two_lines(line, at[1] >> 16), 1);
    return _mm512_cvttpd_epi32(_mm512_fmadd_pd(_mm512_unpackhi_pd(p, q), _mm512_loadu_pd(weight),
                                               _mm512_unpacklo_pd(p, q)));
}

SIMD_INLINE v32_halves v8_on_lines(const double line[512], v8 a, const double *weight)
{
    const v16x2 wide = v8_widen(a);
    uint64_t at[V8 / 4];
    v16 low[2], high[2];
    v16_store(at, v16_shl(wide.lo, 4));
    v16_store(at + V16 / 4, v16_shl(wide.hi, 4));
    for (int k = 0; k < 2; k++) {
        __m512i x[2];
        for (int i = 0; i < 2; i++) {
            const int first = V16 * k + 16 * i;
            x[i] = _mm512_inserti64x4(
                _mm512_castsi256_si512(v8_eight_on_lines(line, at + first / 4, weight + first)),
                v8_eight_on_lines(line, at + first / 4 + 2, weight + first + 8), 1);
        }
        low[k] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(x[0])),
                                    _mm512_cvtepi32_epi16(x[1]), 1);
        high[k] = _mm512_inserti64x4(
            _mm512_castsi256_si512(_mm512_cvtepi32_epi16(_mm512_srli_epi32(x[0], 16))),
            _mm512_cvtepi32_epi16(_mm512_srli_epi32(x[1], 16)), 1);
    }
    return (v32_halves){{low[0], low[1]}, {high[0], high[1]}};
}

SIMD_INLINE __m256i v8_sixteen_inverse(__m256i a)
{
    const __m512 x = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(a));
    return _mm512_cvtepi32_epi16(_mm512_cvttps_epi32(_mm512_div_ps(_mm512_set1_ps(65535), x)));
}

SIMD_INLINE v16 v16_inverse(v16 a)
{
    const __m256i p = v8_sixteen_inverse(_mm512_castsi512_si256(a));
    const __m256i q = v8_sixteen_inverse(_mm512_extracti64x4_epi64(a, 1));
    return _mm512_inserti64x4(_mm512_castsi256_si512(p), q, 1);
}

SIMD_INLINE v16x2 v8_inverse(v8 a)
{
    const v16x2 wide = v8_widen(a);
    return (v16x2){v16_inverse(wide.lo), v16_inverse(wide.hi)};
}

#define VC 16
typedef __m512i vc;

SIMD_INLINE vc vc_load(const uint32_t *p)
{
    return _mm512_loadu_si512(p);
}

SIMD_INLINE void vc_store(uint32_t *p, vc a)
{
    _mm512_storeu_si512(p, a);
}

SIMD_INLINE vc vc_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

SIMD_BINARY(vc, vc_add, _mm512_add_epi32)
SIMD_BINARY(vc, vc_min, _mm512_min_epu32)

SIMD_INLINE vc vc_sums(vc a)
{
    const __m512i zero = _mm512_setzero_si512();
    a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, zero, 15));
    a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, zero, 14));
    a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, zero, 12));
    return _mm512_add_epi32(a, _mm512_alignr_epi32(a, zero, 8));
}

SIMD_INLINE vc vc_last(vc a)
{
    return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), a);
}

SIMD_INLINE void vc_store_words(uint16_t *p, vc a)
{
    _mm256_storeu_si256((void *)p, _mm512_cvtepi32_epi16(a));
}

SIMD_INLINE void vc_store_line(uint32_t *to, vc a, double slope, double base)
{
    for (int k = 0; k < 2; k++) {
        const __m256i half = k ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a);
        const __m512d y =
            _mm512_fmadd_pd(_mm512_cvtepi32_pd(half), _mm512_set1_pd(slope), _mm512_set1_pd(base));
        _mm256_storeu_si256((void *)(to + 8 * k),
                            _mm512_cvtpd_epu32(_mm512_max_pd(y, _mm512_setzero_pd())));
    }
}

#endif
