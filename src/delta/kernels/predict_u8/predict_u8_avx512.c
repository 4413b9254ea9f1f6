/*
 * predict_u8 for AVX-512: the plain rung with sums of 8 bytes at once (vpsadbw).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/rgb_avx512.h"
#include "predict_u8.h"

uint32_t sac_predict_u8_avx512(uint8_t *out, const uint8_t *in, const uint8_t *left,
                               const uint8_t *up, const uint8_t *up_left, int64_t n)
{
    __m512i sum = _mm512_setzero_si512();
    for (int64_t i = 0; i < n; i += 64) {
        __mmask64 valid = sac_mask64(n - i);
        __m512i a = _mm512_maskz_loadu_epi8(valid, left + i);
        __m512i b = _mm512_maskz_loadu_epi8(valid, up + i);
        __m512i c = _mm512_maskz_loadu_epi8(valid, up_left + i);
        __m512i x = _mm512_maskz_loadu_epi8(valid, in + i);
        __m512i low = _mm512_min_epu8(a, b), high = _mm512_max_epu8(a, b);
        __m512i p = _mm512_sub_epi8(_mm512_add_epi8(a, b), c);
        p = _mm512_mask_mov_epi8(p, _mm512_cmpge_epu8_mask(c, high), low);
        p = _mm512_mask_mov_epi8(p, _mm512_cmple_epu8_mask(c, low), high);
        x = _mm512_sub_epi8(x, p);
        _mm512_mask_storeu_epi8(out + i, valid, x);
        __m512i cost = _mm512_min_epu8(x, _mm512_sub_epi8(_mm512_setzero_si512(), x));
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(cost, _mm512_setzero_si512()));
    }
    return (uint32_t)_mm512_reduce_add_epi64(sum);
}
