/*
 * words.h for x86-64-v4 with VBMI, VBMI2 and VNNI: halves of 32 bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_WORDS_AVX512_H
#define SAC_SIMD_WORDS_AVX512_H

#include "simd/words_x86.h"

typedef struct {
    v16 c[3];
} v16x3;
typedef struct {
    v16 c[4];
} v16x4;
typedef struct {
    __m512d x[4];
} v16d;

SIMD_INLINE v16 v16_of_halves(__m256i lo, __m256i hi)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(lo), hi, 1);
}

SIMD_INLINE v16x3 v16_load3(const uint16_t *p)
{
    const w16x3 lo = w16_load3(p), hi = w16_load3(p + 48);
    v16x3 r;
    for (int k = 0; k < 3; k++)
        r.c[k] = v16_of_halves(lo.c[k], hi.c[k]);
    return r;
}

SIMD_INLINE void v16_store3(uint16_t *p, v16x3 a)
{
    w16x3 lo, hi;
    for (int k = 0; k < 3; k++) {
        lo.c[k] = _mm512_castsi512_si256(a.c[k]);
        hi.c[k] = _mm512_extracti64x4_epi64(a.c[k], 1);
    }
    w16_store3(p, lo);
    w16_store3(p + 48, hi);
}

SIMD_BINARY(v16, v16_xor, _mm512_xor_si512)

SIMD_INLINE v16 v16_carry(v16 a, v16 b)
{
    const __mmask32 is = _mm512_cmplt_epu16_mask(_mm512_add_epi16(a, b), a);
    return _mm512_maskz_set1_epi16(is, 1);
}

SIMD_INLINE bool v16_any_zero(v16 a)
{
    return _mm512_testn_epi16_mask(a, a) != 0;
}

SIMD_INLINE v16x4 v16_look_up_56(const uint64_t *table, v16 a)
{
    const w16x4 lo = w16_look_up_56(table, _mm512_castsi512_si256(a));
    const w16x4 hi = w16_look_up_56(table, _mm512_extracti64x4_epi64(a, 1));
    v16x4 r;
    for (int k = 0; k < 4; k++)
        r.c[k] = v16_of_halves(lo.c[k], hi.c[k]);
    return r;
}

SIMD_INLINE v16d v16d_set(double x)
{
    const __m512d all = _mm512_set1_pd(x);
    return (v16d){{all, all, all, all}};
}

SIMD_INLINE v16d v16d_load_u32(const uint32_t *p)
{
    v16d r;
    for (int k = 0; k < 4; k++)
        r.x[k] = _mm512_cvtepu32_pd(_mm256_loadu_si256((const void *)(p + 8 * k)));
    return r;
}

SIMD_INLINE v16d v16d_from(v16 a)
{
    v16d r;
    for (int k = 0; k < 2; k++) {
        const __m512i wide =
            _mm512_cvtepu16_epi32(k ? _mm512_extracti64x4_epi64(a, 1) : _mm512_castsi512_si256(a));
        r.x[2 * k] = _mm512_cvtepi32_pd(_mm512_castsi512_si256(wide));
        r.x[2 * k + 1] = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(wide, 1));
    }
    return r;
}

SIMD_INLINE __m256i v16_half_from(__m512d lo, __m512d hi)
{
    return _mm512_cvtepi32_epi16(v16_of_halves(_mm512_cvttpd_epi32(lo), _mm512_cvttpd_epi32(hi)));
}

SIMD_INLINE v16 v16_from(v16d a)
{
    return v16_of_halves(v16_half_from(a.x[0], a.x[1]), v16_half_from(a.x[2], a.x[3]));
}

#endif
