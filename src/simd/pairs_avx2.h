/*
 * Samples that lie side by side, from places of each lane's own: AVX2.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_PAIRS_AVX2_H
#define SAC_SIMD_PAIRS_AVX2_H

#include "simd/floats_avx2.h"

/* One load fetches a pair; two gathers take more time. */
SIMD_INLINE __m128i vf_four_pairs_i16(const char *from, const uint32_t *at)
{
    int32_t v[4];
    for (int k = 0; k < 4; k++)
        memcpy(&v[k], from + (size_t)at[k] * sizeof(int16_t), sizeof v[k]);
    return _mm_setr_epi32(v[0], v[1], v[2], v[3]);
}

SIMD_INLINE __m128 vf_two_pairs_f32(const char *from, const uint32_t *at)
{
    double v[2];
    for (int k = 0; k < 2; k++)
        memcpy(&v[k], from + (size_t)at[k] * sizeof(float), sizeof v[k]);
    return _mm_castpd_ps(_mm_setr_pd(v[0], v[1]));
}

SIMD_INLINE void vf_pairs_i16(vf *first, vf *second, const void *from, const uint32_t *at)
{
    __m256i pair = _mm256_set_m128i(vf_four_pairs_i16(from, at + 4), vf_four_pairs_i16(from, at));
    *first = _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(pair, 16), 16));
    *second = _mm256_cvtepi32_ps(_mm256_srai_epi32(pair, 16));
}

SIMD_INLINE void vf_pairs_f32(vf *first, vf *second, const void *from, const uint32_t *at)
{
    const __m256 low = _mm256_set_m128(vf_two_pairs_f32(from, at + 4), vf_two_pairs_f32(from, at));
    const __m256 high =
        _mm256_set_m128(vf_two_pairs_f32(from, at + 6), vf_two_pairs_f32(from, at + 2));
    *first = _mm256_shuffle_ps(low, high, 0x88);
    *second = _mm256_shuffle_ps(low, high, 0xdd);
}

/* Of two points in each row, 4 q + k in half q of row k. */
SIMD_INLINE void vf_transpose_halves(vf v[4])
{
    const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(v[0], v[1]));
    const __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(v[0], v[1]));
    const __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(v[2], v[3]));
    const __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(v[2], v[3]));
    v[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
    v[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    v[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
    v[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}

SIMD_INLINE void vf_quads_i16(vf v[4], const void *from, const uint32_t *at)
{
    for (int k = 0; k < 4; k++) {
        long long x[2];
        for (int q = 0; q < 2; q++)
            memcpy(&x[q], (const int16_t *)from + at[4 * q + k], sizeof x[q]);
        const __m128i row = _mm_set_epi64x(x[1], x[0]);
        v[k] = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(row));
    }
    vf_transpose_halves(v);
}

SIMD_INLINE void vf_quads_f32(vf v[4], const void *from, const uint32_t *at)
{
    const float *x = from;
    for (int k = 0; k < 4; k++)
        v[k] = _mm256_set_m128(_mm_loadu_ps(x + at[4 + k]), _mm_loadu_ps(x + at[k]));
    vf_transpose_halves(v);
}

#endif
