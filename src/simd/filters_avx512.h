/*
 * filters.h for x86-64-v4 with VBMI, VBMI2 and VNNI. Wide values are what unpacking made of each 16
 * bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_FILTERS_AVX512_H
#define SAC_SIMD_FILTERS_AVX512_H

typedef struct {
    v8 c[2];
} v8x2;

SIMD_INLINE v16x2 v8_unpack(v8 a, v8 b)
{
    return (v16x2){_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b)};
}

SIMD_INLINE v16x2 v8_wide(v8 a)
{
    return v8_unpack(a, v8_set(0));
}

SIMD_INLINE v16x2 v8_wide_sum(v8 a, v8 b)
{
    const v16x2 ab = v8_unpack(a, b);
    const v8 one = v8_set(1);
    return (v16x2){_mm512_maddubs_epi16(ab.lo, one), _mm512_maddubs_epi16(ab.hi, one)};
}

SIMD_INLINE v16x2 wide_add(v16x2 a, v16x2 b)
{
    return (v16x2){v16_add(a.lo, b.lo), v16_add(a.hi, b.hi)};
}

SIMD_INLINE v8 wide_bytes(v16x2 a)
{
    return _mm512_packus_epi16(a.lo, a.hi);
}

SIMD_INLINE void wide_store(uint16_t *p, v16x2 a)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    v16_store(p, _mm512_permutex2var_epi64(a.lo, first, a.hi));
    v16_store(p + V16, _mm512_permutex2var_epi64(a.lo, second, a.hi));
}

/* Sums along a row are of bytes less 128, as one operand of a product is signed, and half a unit
 * more, so that nothing is left to be rounded: -32640 to 32640. */
typedef struct {
    __m512i left_middle, right; /* of pairs of bytes; the right one's second is 1 */
    __m512i b_of[2], a_of[2];   /* of pairs of rows b and c, a and d: for b's results, and c's */
} weights3;

SIMD_INLINE weights3 weigh3_by(int w0, int w1)
{
    return (weights3){_mm512_set1_epi16((short)(w0 << 8 | w1)),
                      _mm512_set1_epi16((short)(128 << 8 | w1)),
                      {_mm512_set1_epi32(w1 << 16 | w0), _mm512_set1_epi32(w0 << 16 | w1)},
                      {_mm512_set1_epi32(w1), _mm512_set1_epi32(w1 << 16)}};
}

SIMD_INLINE v16x2 weigh3_along(v8 left, v8 middle, v8 right, const weights3 *w)
{
    const v8 sign = v8_set(128);
    const v16x2 lm = v8_unpack(v8_xor(left, sign), v8_xor(middle, sign));
    const v16x2 r = v8_unpack(v8_xor(right, sign), v8_set(1));
    return (v16x2){
        v16_add(_mm512_maddubs_epi16(w->left_middle, lm.lo), _mm512_maddubs_epi16(w->right, r.lo)),
        v16_add(_mm512_maddubs_epi16(w->left_middle, lm.hi), _mm512_maddubs_epi16(w->right, r.hi))};
}

/* Bytes 2 of 32-bit lanes, of two vectors that 16-bit unpacking made. */
#define V8_THIRD(k, i) (uint8_t)((i) % 8 / 4 * 64 + (i) / 16 * 16 + (i) % 4 * 4 + 2)
_Alignas(64) static const uint8_t v8_third[64] = {V8_64(V8_THIRD, 0)};

/* Bytes 2 of the sums of a half of the samples; row 0 is b's, row 1 c's. */
SIMD_INLINE v8 weigh3_half(v16 a, v16 b, v16 c, v16 d, int row, const weights3 *w)
{
    const __m512i less = _mm512_set1_epi32(256 << 15); /* what the sums along the rows lack */
    const __m512i lo =
        _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(less, _mm512_unpacklo_epi16(b, c), w->b_of[row]),
                            _mm512_unpacklo_epi16(a, d), w->a_of[row]);
    const __m512i hi =
        _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(less, _mm512_unpackhi_epi16(b, c), w->b_of[row]),
                            _mm512_unpackhi_epi16(a, d), w->a_of[row]);
    return _mm512_permutex2var_epi8(lo, v8_load(v8_third), hi);
}

SIMD_INLINE v8x2 weigh3_down(v16x2 a, v16x2 b, v16x2 c, v16x2 d, const weights3 *w)
{
    v8x2 r;
    for (int row = 0; row < 2; row++)
        r.c[row] = _mm512_mask_blend_epi64(0xaa, weigh3_half(a.lo, b.lo, c.lo, d.lo, row, w),
                                           weigh3_half(a.hi, b.hi, c.hi, d.hi, row, w));
    return r;
}

SIMD_INLINE v16 v16_step(v16 a, v16 r, v16 b)
{
    return _mm512_mask_add_epi16(v16_sub(a, r), _mm512_cmpgt_epu16_mask(b, a), a, r);
}

SIMD_INLINE v16x2 v8_widen_256(v8 a)
{
    const __m512i pairs = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    return v8_unpack(v8_set(0), _mm512_permutexvar_epi64(pairs, a));
}

/* Low bytes and high bytes, each in four registers. */
typedef struct {
    v8 low[4], high[4];
} table16;

SIMD_INLINE void table16_make(table16 *t, const uint16_t *of)
{
    uint8_t low[256], high[256];
    for (int i = 0; i < 256; i++) {
        low[i] = (uint8_t)of[i];
        high[i] = (uint8_t)(of[i] >> 8);
    }
    for (int i = 0; i < 4; i++) {
        t->low[i] = v8_load(low + 64 * i);
        t->high[i] = v8_load(high + 64 * i);
    }
}

SIMD_INLINE v8 table16_bytes(const v8 *t, v8 at)
{
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), _mm512_permutex2var_epi8(t[0], at, t[1]),
                                  _mm512_permutex2var_epi8(t[2], at, t[3]));
}

SIMD_INLINE v16x2 table16_at(const table16 *t, v16x2 at)
{
    const v8 all = wide_bytes(at);
    return v8_unpack(table16_bytes(t->low, all), table16_bytes(t->high, all));
}

#endif
