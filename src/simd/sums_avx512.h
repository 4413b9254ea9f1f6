/*
 * sums.h for x86-64-v4 with VNNI.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_SUMS_AVX512_H
#define SAC_SIMD_SUMS_AVX512_H

typedef __mmask32 m16;
typedef __m512i v32;

SIMD_INLINE uint64_t bits64_ge(const uint8_t *p, v8 t)
{
    return _mm512_cmpge_epu8_mask(v8_load(p), t);
}

SIMD_INLINE v8 v8_from_bits(uint64_t bits)
{
    return _mm512_movm_epi8(bits);
}

SIMD_INLINE v16 v16_load_bytes(const uint8_t *p)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)p));
}

SIMD_INLINE m16 v16_gt(v16 a, v16 b)
{
    return _mm512_cmpgt_epi16_mask(a, b);
}

SIMD_INLINE v16 v16_where(v16 a, m16 m)
{
    return _mm512_maskz_mov_epi16(m, a);
}

/* Of 16 pairs: SIMD_ROOT_32 says what. */
SIMD_INLINE __m512i v16_roots_32(__m512i pairs)
{
    const __m512 squares = _mm512_cvtepi32_ps(_mm512_madd_epi16(pairs, pairs));
    return _mm512_cvttps_epi32(
        _mm512_sqrt_ps(_mm512_mul_ps(squares, _mm512_set1_ps(SIMD_ROOT_32))));
}

SIMD_INLINE v16 v16_lengths_16(v16 x, v16 y)
{
    const __m512i low = v16_roots_32(_mm512_unpacklo_epi16(x, y));
    const __m512i high = v16_roots_32(_mm512_unpackhi_epi16(x, y));
    return _mm512_avg_epu16(_mm512_packs_epi32(low, high), _mm512_setzero_si512());
}

SIMD_INLINE v32 v32_zero(void)
{
    return _mm512_setzero_si512();
}

SIMD_INLINE v32 v32_add(v32 sum, v16 a)
{
    return _mm512_dpwssd_epi32(sum, a, v16_set(1));
}

SIMD_INLINE v32 v32_add_where(v32 sum, v16 a, m16 m)
{
    return v32_add(sum, v16_where(a, m));
}

SIMD_INLINE uint32_t v32_total(v32 sum)
{
    return (uint32_t)_mm512_reduce_add_epi32(sum);
}

SIMD_INLINE vsum vsum_add_times(vsum sum, v8 a, uint32_t n)
{
    const __m512i of = _mm512_sad_epu8(a, _mm512_setzero_si512());
    return _mm512_add_epi64(sum, _mm512_mul_epu32(of, _mm512_set1_epi32((int)n)));
}

#endif
