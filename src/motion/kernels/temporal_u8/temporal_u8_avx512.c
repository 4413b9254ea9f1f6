/*
 * temporal_u8 with AVX-512: 32 samples in 16-bit lanes. The table lies in eight registers; a
 * look-up is four permutes of two registers each, and blends by the index's two high bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "temporal_u8_lines.h"

static inline __m512i look_up(const __m512i *table, __m512i at)
{
    __mmask32 bit6 = _mm512_test_epi16_mask(at, _mm512_set1_epi16(64));
    __mmask32 bit7 = _mm512_test_epi16_mask(at, _mm512_set1_epi16(128));
    __m512i q[4];
    for (int i = 0; i < 4; i++)
        q[i] = _mm512_permutex2var_epi16(table[2 * i], at, table[2 * i + 1]);
    return _mm512_mask_blend_epi16(bit7, _mm512_mask_blend_epi16(bit6, q[0], q[1]),
                                   _mm512_mask_blend_epi16(bit6, q[2], q[3]));
}

static inline __m512i filter(const __m512i *table, __m512i now, __m512i past)
{
    const __m512i half = _mm512_set1_epi16(128);
    const __m512i m = _mm512_sub_epi16(_mm512_max_epu16(now, past), _mm512_min_epu16(now, past));
    const __m512i at = _mm512_srli_epi16(_mm512_add_epi16(m, half), 8);
    const __m512i rest = _mm512_mulhi_epu16(look_up(table, at), m);
    const __mmask32 above = _mm512_cmpgt_epu16_mask(past, now);
    return _mm512_mask_add_epi16(_mm512_sub_epi16(now, rest), above, now, rest);
}

static inline __m512i widen(__m256i x)
{
    return _mm512_slli_epi16(_mm512_cvtepu8_epi16(x), 8);
}

static inline __m256i rounded(__m512i state)
{
    const __m512i half = _mm512_set1_epi16(128);
    return _mm512_cvtepi16_epi8(_mm512_srli_epi16(_mm512_add_epi16(state, half), 8));
}

/* Masks are for the end of a line: stores through them take up to twice as long (Zen 5). */
static void filter_line(uint8_t *to, uint16_t *state, const uint8_t *from, int32_t n,
                        const void *of)
{
    const uint16_t *keep = of;
    __m512i table[8];
    int32_t i = 0;
    for (int k = 0; k < 8; k++)
        table[k] = _mm512_loadu_si512(keep + 32 * k);
    for (; i + 32 <= n; i += 32) {
        const __m512i now = widen(_mm256_loadu_si256((const void *)(from + i)));
        const __m512i next = filter(table, now, _mm512_loadu_si512(state + i));
        _mm512_storeu_si512(state + i, next);
        _mm256_storeu_si256((void *)(to + i), rounded(next));
    }
    const __mmask32 mask = ((__mmask32)1 << (n - i)) - 1;
    const __m512i now = widen(_mm256_maskz_loadu_epi8(mask, from + i));
    const __m512i next = filter(table, now, _mm512_maskz_loadu_epi16(mask, state + i));
    _mm512_mask_storeu_epi16(state + i, mask, next);
    _mm256_mask_storeu_epi8(to + i, mask, rounded(next));
}

void sac_temporal_u8_avx512(const sac_samples *out, uint16_t *state, const sac_samples *in,
                            const uint16_t *keep)
{
    sac_temporal_lines(out, state, in, keep, filter_line);
}
