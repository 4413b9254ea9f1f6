/*
 * filters.h for x86-64-v3. Wide values are what unpacking made of each 16 bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FILTERS_AVX2_H
#define SAC_SIMD_FILTERS_AVX2_H

typedef struct {
    v8 c[2];
} v8x2;

SIMD_INLINE v16x2 v8_unpack(v8 a, v8 b)
{
    return (v16x2){_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)};
}

SIMD_INLINE v16x2 v8_wide(v8 a)
{
    return v8_unpack(a, v8_set(0));
}

SIMD_INLINE v16x2 v8_wide_sum(v8 a, v8 b)
{
    const v16x2 ab = v8_unpack(a, b);
    const v8 one = v8_set(1);
    return (v16x2){_mm256_maddubs_epi16(ab.lo, one), _mm256_maddubs_epi16(ab.hi, one)};
}

SIMD_INLINE v16x2 wide_add(v16x2 a, v16x2 b)
{
    return (v16x2){v16_add(a.lo, b.lo), v16_add(a.hi, b.hi)};
}

SIMD_INLINE v8 wide_bytes(v16x2 a)
{
    return _mm256_packus_epi16(a.lo, a.hi);
}

SIMD_INLINE void wide_store(uint16_t *p, v16x2 a)
{
    v16_store(p, _mm256_permute2x128_si256(a.lo, a.hi, 0x20));
    v16_store(p + V16, _mm256_permute2x128_si256(a.lo, a.hi, 0x31));
}

/* Sums along a row are of bytes less 128, as one operand of a product is signed, and half a unit
 * more, so that nothing is left to be rounded: -32640 to 32640. */
typedef struct {
    __m256i left_middle, right; /* of pairs of bytes; the right one's second is 1 */
    __m256i b_of[2], a_of[2];   /* of pairs of rows b and c, a and d: for b's results, and c's */
} weights3;

SIMD_INLINE weights3 weigh3_by(int w0, int w1)
{
    return (weights3){_mm256_set1_epi16((short)(w0 << 8 | w1)),
                      _mm256_set1_epi16((short)(128 << 8 | w1)),
                      {_mm256_set1_epi32(w1 << 16 | w0), _mm256_set1_epi32(w0 << 16 | w1)},
                      {_mm256_set1_epi32(w1), _mm256_set1_epi32(w1 << 16)}};
}

SIMD_INLINE v16x2 weigh3_along(v8 left, v8 middle, v8 right, const weights3 *w)
{
    const v8 sign = v8_set(128);
    const v16x2 lm = v8_unpack(v8_xor(left, sign), v8_xor(middle, sign));
    const v16x2 r = v8_unpack(v8_xor(right, sign), v8_set(1));
    return (v16x2){
        v16_add(_mm256_maddubs_epi16(w->left_middle, lm.lo), _mm256_maddubs_epi16(w->right, r.lo)),
        v16_add(_mm256_maddubs_epi16(w->left_middle, lm.hi), _mm256_maddubs_epi16(w->right, r.hi))};
}

/* Of a half of the samples; row 0 is b's, row 1 c's. */
SIMD_INLINE v16 weigh3_half(v16 a, v16 b, v16 c, v16 d, int row, const weights3 *w)
{
    const __m256i lo =
        _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpacklo_epi16(b, c), w->b_of[row]),
                         _mm256_madd_epi16(_mm256_unpacklo_epi16(a, d), w->a_of[row]));
    const __m256i hi =
        _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpackhi_epi16(b, c), w->b_of[row]),
                         _mm256_madd_epi16(_mm256_unpackhi_epi16(a, d), w->a_of[row]));
    return _mm256_packs_epi32(_mm256_srai_epi32(lo, 16), _mm256_srai_epi32(hi, 16));
}

SIMD_INLINE v8x2 weigh3_down(v16x2 a, v16x2 b, v16x2 c, v16x2 d, const weights3 *w)
{
    v8x2 r;
    for (int row = 0; row < 2; row++)
        r.c[row] = v8_xor(_mm256_packs_epi16(weigh3_half(a.lo, b.lo, c.lo, d.lo, row, w),
                                             weigh3_half(a.hi, b.hi, c.hi, d.hi, row, w)),
                          v8_set(128));
    return r;
}

SIMD_INLINE v16 v16_step(v16 a, v16 r, v16 b)
{
    const __m256i less = _mm256_cmpeq_epi16(_mm256_max_epu16(a, b), a); /* -1 where a >= b */
    return v16_add(a, v16_sub(_mm256_xor_si256(r, less), less));
}

SIMD_INLINE v16x2 v8_widen_256(v8 a)
{
    const __m256i x = _mm256_permute4x64_epi64(a, 0xd8);
    return v8_unpack(v8_set(0), x);
}

/* By 16 entries, whose index is 0 to 15 with `first`'s bits flipped: low bytes and high bytes. */
typedef struct {
    int n; /* parts that are not all 0 */
    uint32_t first[16];
    uint8_t low[16][16], high[16][16];
} table16;

SIMD_INLINE void table16_make(table16 *t, const uint16_t *of)
{
    t->n = 0;
    for (int i = 0; i < 256; i += 16) {
        int any = 0;
        for (int k = 0; k < 16; k++) {
            any |= of[i + k];
            t->low[t->n][k] = (uint8_t)of[i + k];
            t->high[t->n][k] = (uint8_t)(of[i + k] >> 8);
        }
        t->first[t->n] = 0x01010101U * (uint32_t)i;
        t->n += any != 0;
    }
}

SIMD_INLINE v8 table16_part(const uint8_t *part, v8 at)
{
    const __m128i x = _mm_loadu_si128((const void *)part);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(x), at);
}

SIMD_INLINE v16x2 table16_at(const table16 *t, v16x2 at)
{
    const v8 all = wide_bytes(at);
    v8 low = v8_set(0), high = low;
    for (int i = 0; i < t->n; i++) {
        /* 0x70 to 0x7f if it is of this part, else at least 0x80, which a shuffle makes 0 */
        const v8 first = _mm256_set1_epi32((int)t->first[i]);
        const v8 here = v8_adds(v8_xor(all, first), v8_set(0x70));
        low = v8_or(low, table16_part(t->low[i], here));
        high = v8_or(high, table16_part(t->high[i], here));
    }
    return v8_unpack(low, high);
}

#endif
