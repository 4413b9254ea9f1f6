/*
 * mixes.h for x86-64-v3.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_MIXES_AVX2_H
#define SAC_SIMD_MIXES_AVX2_H

typedef struct {
    __m256i factors; /* p and q in turn */
    __m256i o;
    __m128i shift, shift_high;            /* high: of the upper 16 bits of a sum */
    __m256i p_even, p_odd, q_even, q_odd; /* of each two values the first or second */
} mix2;

SIMD_INLINE mix2 mix2_by(int16_t p, int16_t q, int32_t o, int32_t shift)
{
    const uint32_t both = (uint32_t)(uint16_t)p | (uint32_t)(uint16_t)q << 16;
    return (mix2){.factors = _mm256_set1_epi32((int)both),
                  .o = _mm256_set1_epi32(o),
                  .shift = _mm_cvtsi32_si128(shift),
                  .shift_high = _mm_cvtsi32_si128(shift - 16),
                  .p_even = _mm256_set1_epi32((uint16_t)p),
                  .p_odd = _mm256_set1_epi32((int)((uint32_t)(uint16_t)p << 16)),
                  .q_even = _mm256_set1_epi32((uint16_t)q),
                  .q_odd = _mm256_set1_epi32((int)((uint32_t)(uint16_t)q << 16))};
}

SIMD_INLINE __m256i mix2_four(__m256i pairs, const mix2 *m)
{
    return _mm256_sra_epi32(_mm256_add_epi32(_mm256_madd_epi16(pairs, m->factors), m->o), m->shift);
}

/* In the order of unpacklo and unpackhi, which packs undoes. */
SIMD_INLINE v16 mix2_words(v16 a, v16 b, const mix2 *m)
{
    return _mm256_packs_epi32(mix2_four(_mm256_unpacklo_epi16(a, b), m),
                              mix2_four(_mm256_unpackhi_epi16(a, b), m));
}

SIMD_INLINE v8 mix2_bytes(v16x2 a, v16x2 b, const mix2 *m)
{
    return _mm256_packus_epi16(mix2_words(a.lo, b.lo, m), mix2_words(a.hi, b.hi, m));
}

typedef struct {
    __m256i even, odd;
} mix2_share;

SIMD_INLINE mix2_share mix2_share_of(v16 b, const mix2 *m)
{
    return (mix2_share){_mm256_add_epi32(_mm256_madd_epi16(b, m->q_even), m->o),
                        _mm256_add_epi32(_mm256_madd_epi16(b, m->q_odd), m->o)};
}

/* Sums stay where their values are: the upper halves of both are the words. */
SIMD_INLINE v16 mix2_words_with(v16 a, const mix2_share *s, const mix2 *m)
{
    const __m256i even = _mm256_add_epi32(_mm256_madd_epi16(a, m->p_even), s->even);
    const __m256i odd = _mm256_add_epi32(_mm256_madd_epi16(a, m->p_odd), s->odd);
    return _mm256_sra_epi16(_mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xaa),
                            m->shift_high);
}

SIMD_INLINE v8 mix2_clip(v16 lo, v16 hi)
{
    return _mm256_packus_epi16(lo, hi);
}

#endif
