/*
 * sums.h for x86-64-v3.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_SUMS_AVX2_H
#define SAC_SIMD_SUMS_AVX2_H

typedef __m256i m16, v32;

SIMD_INLINE uint64_t bits64_ge(const uint8_t *p, v8 t)
{
    const __m256i a = v8_load(p), b = v8_load(p + 32);
    return m8_bits(v8_eq(v8_max(a, t), a)) | m8_bits(v8_eq(v8_max(b, t), b)) << 32;
}

SIMD_INLINE v8 v8_from_bits(uint64_t bits)
{
    const __m256i byte =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201);
    const __m256i x = _mm256_shuffle_epi8(_mm256_set1_epi32((int)(uint32_t)bits), byte);
    return _mm256_cmpeq_epi8(_mm256_and_si256(x, bit), bit);
}

SIMD_INLINE v16 v16_load_bytes(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)p));
}

SIMD_BINARY(m16, v16_gt, _mm256_cmpgt_epi16)
SIMD_BINARY(v16, v16_where, _mm256_and_si256)

/* Of 8 pairs: SIMD_ROOT_32 says what. */
SIMD_INLINE __m256i v16_roots_32(__m256i pairs)
{
    const __m256 squares = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, pairs));
    return _mm256_cvttps_epi32(
        _mm256_sqrt_ps(_mm256_mul_ps(squares, _mm256_set1_ps(SIMD_ROOT_32))));
}

SIMD_INLINE v16 v16_lengths_16(v16 x, v16 y)
{
    const __m256i low = v16_roots_32(_mm256_unpacklo_epi16(x, y));
    const __m256i high = v16_roots_32(_mm256_unpackhi_epi16(x, y));
    return _mm256_avg_epu16(_mm256_packs_epi32(low, high), _mm256_setzero_si256());
}

SIMD_INLINE v32 v32_zero(void)
{
    return _mm256_setzero_si256();
}

SIMD_INLINE v32 v32_add(v32 sum, v16 a)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, v16_set(1)));
}

/* A mask that is set is -1. */
SIMD_INLINE v32 v32_add_where(v32 sum, v16 a, m16 m)
{
    return _mm256_sub_epi32(sum, _mm256_madd_epi16(a, m));
}

SIMD_INLINE uint32_t v32_total(v32 sum)
{
    __m128i x = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    return (uint32_t)(_mm_cvtsi128_si32(x) + _mm_extract_epi32(x, 1));
}

SIMD_INLINE vsum vsum_add_times(vsum sum, v8 a, uint32_t n)
{
    const __m256i of = _mm256_sad_epu8(a, _mm256_setzero_si256());
    return _mm256_add_epi64(sum, _mm256_mul_epu32(of, _mm256_set1_epi32((int)n)));
}

#endif
