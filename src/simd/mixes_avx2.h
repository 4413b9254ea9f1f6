/*
 * mixes.h for x86-64-v3.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_MIXES_AVX2_H
#define SAC_SIMD_MIXES_AVX2_H

typedef struct {
    __m256i factors; /* p and q in turn */
    __m256i o;
    __m128i shift;
} mix2;

SIMD_INLINE mix2 mix2_by(int16_t p, int16_t q, int32_t o, int32_t shift)
{
    const uint32_t both = (uint32_t)(uint16_t)p | (uint32_t)(uint16_t)q << 16;
    return (mix2){_mm256_set1_epi32((int)both), _mm256_set1_epi32(o), _mm_cvtsi32_si128(shift)};
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

#endif
