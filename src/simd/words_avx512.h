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
    __m512d x[4];
} v16d;
typedef struct {
    v16 x[2]; /* 16 pairs each */
} v16p;

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

SIMD_BINARY(v16, v16_avg, _mm512_avg_epu16)

SIMD_INLINE bool v16_any_zero(v16 a)
{
    return _mm512_testn_epi16_mask(a, a) != 0;
}

SIMD_INLINE v16 v16_sixteen_lead(v16 a)
{
    return _mm512_srlv_epi32(_mm512_set1_epi32((int)0x80000000),
                             _mm512_sub_epi32(_mm512_set1_epi32(47), _mm512_lzcnt_epi32(a)));
}

SIMD_INLINE v16 v16_lead(v16 a)
{
    const __m512i zero = _mm512_setzero_si512();
    return _mm512_packus_epi32(v16_sixteen_lead(_mm512_unpacklo_epi16(a, zero)),
                               v16_sixteen_lead(_mm512_unpackhi_epi16(a, zero)));
}

SIMD_INLINE v16x2 v16_look_up_halves(const uint32_t *table, v16 a)
{
    const w16x2 lo = w16_look_up_halves(table, _mm512_castsi512_si256(a));
    const w16x2 hi = w16_look_up_halves(table, _mm512_extracti64x4_epi64(a, 1));
    return (v16x2){v16_of_halves(lo.c[0], hi.c[0]), v16_of_halves(lo.c[1], hi.c[1])};
}

SIMD_INLINE v16d v16d_set(double x)
{
    const __m512d all = _mm512_set1_pd(x);
    return (v16d){{all, all, all, all}};
}

/* As the last bits of 2^52 + x. */
SIMD_INLINE v16d v16d_load_u32(const uint32_t *p)
{
    v16d r;
    for (int k = 0; k < 4; k++)
        r.x[k] = _mm512_castsi512_pd(
            _mm512_or_si512(_mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)(p + 8 * k))),
                            _mm512_castpd_si512(_mm512_set1_pd(0x1p52))));
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

SIMD_INLINE v16d v16d_load(const double *p)
{
    v16d r;
    for (int k = 0; k < 4; k++)
        r.x[k] = _mm512_loadu_pd(p + 8 * k);
    return r;
}

SIMD_INLINE v16p v16p_load(const int16_t *p)
{
    return (v16p){{_mm512_loadu_si512(p), _mm512_loadu_si512(p + 32)}};
}

SIMD_INLINE v16p v16p_look_up(const uint16_t *a, const uint16_t *b, const uint16_t *at)
{
    return (v16p){{v16_of_halves(w16_pairs(a, b, at), w16_pairs(a, b, at + 8)),
                   v16_of_halves(w16_pairs(a, b, at + 16), w16_pairs(a, b, at + 24))}};
}

SIMD_INLINE void v16_store_pairs(uint32_t *to, v16 a, v16 b)
{
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    a = _mm512_permutexvar_epi64(order, a);
    b = _mm512_permutexvar_epi64(order, b);
    _mm512_storeu_si512(to, _mm512_unpacklo_epi16(a, b));
    _mm512_storeu_si512(to + 16, _mm512_unpackhi_epi16(a, b));
}

SIMD_INLINE v16p v16p_of_table(const uint32_t *table, const uint16_t *at)
{
    return (v16p){
        {v16_of_halves(w16_table_pairs(table, at), w16_table_pairs(table, at + 8)),
         v16_of_halves(w16_table_pairs(table, at + 16), w16_table_pairs(table, at + 24))}};
}

SIMD_INLINE v16d v16p_mix(v16p a, v16p b)
{
    v16d r;
    for (int k = 0; k < 2; k++) {
        const __m512i sums = _mm512_madd_epi16(a.x[k], b.x[k]);
        r.x[2 * k] = _mm512_cvtepi32_pd(_mm512_castsi512_si256(sums));
        r.x[2 * k + 1] = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(sums, 1));
    }
    return r;
}

SIMD_INLINE v16d v16d_fma(v16d a, v16d b, v16d c)
{
    for (int k = 0; k < 4; k++)
        a.x[k] = _mm512_fmadd_pd(a.x[k], b.x[k], c.x[k]);
    return a;
}

/* The places of every other of 64 words. */
static const uint16_t simd_even[V16]
    __attribute__((aligned(64))) = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
                                    32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62};

SIMD_INLINE v16x2 v16d_halves(v16d a)
{
    v16 x[2];
    for (int k = 0; k < 2; k++)
        x[k] = v16_of_halves(_mm512_cvtpd_epu32(a.x[2 * k]), _mm512_cvtpd_epu32(a.x[2 * k + 1]));
    const v16 even = _mm512_load_si512(simd_even);
    return (v16x2){_mm512_permutex2var_epi16(x[0], even, x[1]),
                   _mm512_permutex2var_epi16(x[0], _mm512_add_epi16(even, v16_set(1)), x[1])};
}

#endif
