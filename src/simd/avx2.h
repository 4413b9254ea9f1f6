/*
 * simd.h for x86-64-v3.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_AVX2_H
#define SAC_SIMD_AVX2_H

#include <immintrin.h>

#include "simd/byte_order.h"

#define V8 32
#define V16 16

typedef __m256i v8, v16;
typedef __m256i m8; /* 255 or 0 in each byte */
typedef struct {
    v8 c[3];
} v8x3;
typedef struct {
    v8 c[4];
} v8x4;
typedef struct {
    v16 lo, hi;
} v16x2;

SIMD_INLINE v8 v8_load(const void *p)
{
    sac_known(p);
    return _mm256_loadu_si256(p);
}

SIMD_INLINE void v8_store(void *p, v8 a)
{
    sac_known(p);
    _mm256_storeu_si256(p, a);
}

SIMD_INLINE v8 v8_set(uint8_t x)
{
    return _mm256_set1_epi8((char)x);
}

SIMD_BINARY(v8, v8_add, _mm256_add_epi8)
SIMD_BINARY(v8, v8_sub, _mm256_sub_epi8)
SIMD_BINARY(v8, v8_adds, _mm256_adds_epu8)
SIMD_BINARY(v8, v8_subs, _mm256_subs_epu8)
SIMD_BINARY(v8, v8_min, _mm256_min_epu8)
SIMD_BINARY(v8, v8_max, _mm256_max_epu8)
SIMD_BINARY(v8, v8_and, _mm256_and_si256)
SIMD_BINARY(v8, v8_or, _mm256_or_si256)
SIMD_BINARY(v8, v8_xor, _mm256_xor_si256)

SIMD_INLINE v8 v8_without(v8 a, v8 b)
{
    return _mm256_andnot_si256(b, a);
}

/* The empty statement keeps gcc from loading both twice, once for each difference. */
SIMD_INLINE v8 v8_absd(v8 a, v8 b)
{
    __asm__("" : "+x"(a), "+x"(b));
    return _mm256_or_si256(_mm256_subs_epu8(a, b), _mm256_subs_epu8(b, a));
}

SIMD_INLINE m8 v8_gt(v8 a, v8 b)
{
    const __m256i sign = _mm256_set1_epi8((char)0x80);
    return _mm256_cmpgt_epi8(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign));
}

SIMD_INLINE m8 v8_eq(v8 a, v8 b)
{
    return _mm256_cmpeq_epi8(a, b);
}

SIMD_INLINE v8 v8_select(m8 m, v8 yes, v8 no)
{
    return _mm256_blendv_epi8(no, yes, m);
}

SIMD_BINARY(m8, m8_or, _mm256_or_si256)
SIMD_BINARY(m8, m8_and, _mm256_and_si256)

SIMD_INLINE v8 m8_bytes(m8 m)
{
    return m;
}

SIMD_INLINE uint64_t m8_bits(m8 m)
{
    return (uint32_t)_mm256_movemask_epi8(m);
}

SIMD_INLINE bool m8_any(m8 m)
{
    return !_mm256_testz_si256(m, m);
}

SIMD_INLINE int m8_count(m8 m)
{
    return __builtin_popcountll(m8_bits(m));
}

/*
 * Planes of packed pixels: 16 in each half. In a half, byte 3 i + k of 48 is channel k of pixel i;
 * (3 i + k) mod 16 is its place in one of three vectors. Blends bring a channel's bytes into one
 * vector, each still in its place; a shuffle puts them in order.
 */
#define V8_HALVES(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)

/* Bytes whose place leaves r when divided by 3. */
SIMD_INLINE __m256i v8_third(int r)
{
    return r == 0   ? V8_HALVES(-1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1)
           : r == 1 ? V8_HALVES(0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0)
                    : V8_HALVES(0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0);
}

SIMD_INLINE __m256i v8_two(const uint8_t *p, const uint8_t *q)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)p)),
                                   _mm_loadu_si128((const void *)q), 1);
}

SIMD_INLINE void v8_two_store(uint8_t *p, uint8_t *q, __m256i a)
{
    _mm_storeu_si128((void *)p, _mm256_castsi256_si128(a));
    _mm_storeu_si128((void *)q, _mm256_extracti128_si256(a, 1));
}

SIMD_INLINE v8x3 v8_split3(v8x3 x)
{
    const __m256i m0 = v8_third(0), m1 = v8_third(1), m2 = v8_third(2);
    const __m256i a = x.c[0], b = x.c[1], c = x.c[2];
    return (v8x3){{
        _mm256_shuffle_epi8(_mm256_blendv_epi8(_mm256_blendv_epi8(a, b, m2), c, m1),
                            V8_HALVES(0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13)),
        _mm256_shuffle_epi8(_mm256_blendv_epi8(_mm256_blendv_epi8(a, b, m0), c, m2),
                            V8_HALVES(1, 4, 7, 10, 13, 0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14)),
        _mm256_shuffle_epi8(_mm256_blendv_epi8(_mm256_blendv_epi8(a, b, m1), c, m0),
                            V8_HALVES(2, 5, 8, 11, 14, 1, 4, 7, 10, 13, 0, 3, 6, 9, 12, 15)),
    }};
}

SIMD_INLINE v8x3 v8_load3(const uint8_t *p)
{
    return v8_split3((v8x3){{v8_two(p, p + 48), v8_two(p + 16, p + 64), v8_two(p + 32, p + 80)}});
}

SIMD_INLINE v8x3 v8_mixed_absd3(const uint8_t *p, const uint8_t *q)
{
    v8x3 d;
    for (int k = 0; k < 3; k++)
        d.c[k] = v8_absd(v8_two(p + 16 * k, p + 16 * k + 48), v8_two(q + 16 * k, q + 16 * k + 48));
    return d;
}

SIMD_INLINE v8x3 v8_absd3(const uint8_t *p, const uint8_t *q)
{
    return v8_split3(v8_mixed_absd3(p, q));
}

SIMD_INLINE v8x3 m8_spread3(m8 m)
{
    const __m128i s0 = _mm_setr_epi8(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5);
    const __m128i s1 = _mm_setr_epi8(5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10);
    const __m128i s2 =
        _mm_setr_epi8(10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15);
    return (v8x3){{
        _mm256_shuffle_epi8(_mm256_permute4x64_epi64(m, 0x44), _mm256_set_m128i(s1, s0)),
        _mm256_shuffle_epi8(m, _mm256_set_m128i(s0, s2)),
        _mm256_shuffle_epi8(_mm256_permute4x64_epi64(m, 0xee), _mm256_set_m128i(s2, s1)),
    }};
}

SIMD_INLINE void v8_store3(uint8_t *p, v8x3 x)
{
    const __m256i m1 = v8_third(1), m2 = v8_third(2);
    const __m256i a = _mm256_shuffle_epi8(
        x.c[0], V8_HALVES(0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5));
    const __m256i b = _mm256_shuffle_epi8(
        x.c[1], V8_HALVES(5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10));
    const __m256i c = _mm256_shuffle_epi8(
        x.c[2], V8_HALVES(10, 5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15));
    v8_two_store(p, p + 48, _mm256_blendv_epi8(_mm256_blendv_epi8(a, b, m1), c, m2));
    v8_two_store(p + 16, p + 64, _mm256_blendv_epi8(_mm256_blendv_epi8(b, c, m1), a, m2));
    v8_two_store(p + 32, p + 80, _mm256_blendv_epi8(_mm256_blendv_epi8(c, a, m1), b, m2));
}

/* Four channels: 4 x 4 bytes of each half are transposed, then the halves' 32-bit words. */
SIMD_INLINE v8x4 v8_words4(v8x4 x)
{
    const __m256i ab = _mm256_unpacklo_epi32(x.c[0], x.c[1]);
    const __m256i cd = _mm256_unpacklo_epi32(x.c[2], x.c[3]);
    const __m256i ef = _mm256_unpackhi_epi32(x.c[0], x.c[1]);
    const __m256i gh = _mm256_unpackhi_epi32(x.c[2], x.c[3]);
    return (v8x4){{_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd),
                   _mm256_unpacklo_epi64(ef, gh), _mm256_unpackhi_epi64(ef, gh)}};
}

SIMD_INLINE v8x4 v8_split4(v8x4 x)
{
    const __m256i bytes = V8_HALVES(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m256i words = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (int k = 0; k < 4; k++)
        x.c[k] = _mm256_shuffle_epi8(x.c[k], bytes);
    x = v8_words4(x);
    for (int k = 0; k < 4; k++)
        x.c[k] = _mm256_permutevar8x32_epi32(x.c[k], words);
    return x;
}

SIMD_INLINE v8x4 v8_load4(const uint8_t *p)
{
    return v8_split4((v8x4){{v8_load(p), v8_load(p + 32), v8_load(p + 64), v8_load(p + 96)}});
}

SIMD_INLINE v8x4 v8_absd4(const uint8_t *p, const uint8_t *q)
{
    v8x4 d;
    for (int k = 0; k < 4; k++)
        d.c[k] = v8_absd(v8_load(p + 32 * k), v8_load(q + 32 * k));
    return v8_split4(d);
}

SIMD_INLINE void v8_store4(uint8_t *p, v8x4 x)
{
    const __m256i ab = _mm256_unpacklo_epi8(x.c[0], x.c[1]),
                  AB = _mm256_unpackhi_epi8(x.c[0], x.c[1]);
    const __m256i cd = _mm256_unpacklo_epi8(x.c[2], x.c[3]),
                  CD = _mm256_unpackhi_epi8(x.c[2], x.c[3]);
    v8_two_store(p, p + 64, _mm256_unpacklo_epi16(ab, cd));
    v8_two_store(p + 16, p + 80, _mm256_unpackhi_epi16(ab, cd));
    v8_two_store(p + 32, p + 96, _mm256_unpacklo_epi16(AB, CD));
    v8_two_store(p + 48, p + 112, _mm256_unpackhi_epi16(AB, CD));
}

SIMD_INLINE v16 v16_load(const void *p)
{
    return _mm256_loadu_si256(p);
}

SIMD_INLINE void v16_store(void *p, v16 a)
{
    _mm256_storeu_si256(p, a);
}

SIMD_INLINE v16 v16_set(uint16_t x)
{
    return _mm256_set1_epi16((short)x);
}

SIMD_BINARY(v16, v16_add, _mm256_add_epi16)
SIMD_BINARY(v16, v16_sub, _mm256_sub_epi16)
SIMD_BINARY(v16, v16_min, _mm256_min_epu16)
SIMD_BINARY(v16, v16_max, _mm256_max_epu16)
SIMD_BINARY(v16, v16_mul, _mm256_mullo_epi16)
SIMD_BINARY(v16, v16_mulhi, _mm256_mulhi_epu16)
SIMD_BINARY(v16, v16_and, _mm256_and_si256)
SIMD_BINARY(v16, v16_or, _mm256_or_si256)

SIMD_INLINE v16 v16_absd(v16 a, v16 b)
{
    return _mm256_or_si256(_mm256_subs_epu16(a, b), _mm256_subs_epu16(b, a));
}

#define v16_shr(a, n) _mm256_srli_epi16(a, n)
#define v16_shl(a, n) _mm256_slli_epi16(a, n)

/* V8 bytes as 16-bit values, the first V16 in lo. */
SIMD_INLINE v16x2 v8_widen(v8 a)
{
    return (v16x2){_mm256_cvtepu8_epi16(_mm256_castsi256_si128(a)),
                   _mm256_cvtepu8_epi16(_mm256_extracti128_si256(a, 1))};
}

/* The way back, for values up to 255. */
SIMD_INLINE v8 v16_narrow(v16x2 a)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(a.lo, a.hi), 0xd8);
}

/* Bytes kept or put back by a mask, and sums of bytes. */

SIMD_INLINE m8 v8_nonzero(v8 a)
{
    const __m256i zero = _mm256_setzero_si256();
    return _mm256_xor_si256(_mm256_cmpeq_epi8(a, zero), _mm256_cmpeq_epi8(zero, zero));
}

SIMD_INLINE int v8_compress(uint8_t *to, v8 a, uint64_t bits)
{
    const __m128i half[2] = {_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)};
    uint8_t *at = to;
    for (int k = 0; k < 4; k++) {
        const uint64_t few = bits >> 8 * k & 255;
        const __m128i order = _mm_loadl_epi64((const void *)&simd_kept_first[few]);
        const __m128i from = k % 2 ? _mm_unpackhi_epi64(half[k / 2], half[k / 2]) : half[k / 2];
        _mm_storel_epi64((void *)at, _mm_shuffle_epi8(from, order));
        at += _mm_popcnt_u64(few);
    }
    return (int)(at - to);
}

SIMD_INLINE __m128i v8_expand_8(const uint8_t **from, uint64_t bits)
{
    const __m128i order = _mm_loadl_epi64((const void *)&simd_put_back[bits & 255]);
    const __m128i x = _mm_loadl_epi64((const void *)*from);
    *from += _mm_popcnt_u64(bits & 255);
    return _mm_shuffle_epi8(x, order);
}

SIMD_INLINE v8 v8_expand(const uint8_t *from, uint64_t bits)
{
    const __m128i a = v8_expand_8(&from, bits), b = v8_expand_8(&from, bits >> 8);
    const __m128i c = v8_expand_8(&from, bits >> 16), d = v8_expand_8(&from, bits >> 24);
    return _mm256_set_m128i(_mm_unpacklo_epi64(c, d), _mm_unpacklo_epi64(a, b));
}

typedef __m256i vsum;

SIMD_INLINE vsum vsum_zero(void)
{
    return _mm256_setzero_si256();
}

SIMD_INLINE vsum vsum_add(vsum sum, v8 a)
{
    return _mm256_add_epi64(sum, _mm256_sad_epu8(a, _mm256_setzero_si256()));
}

SIMD_INLINE uint32_t vsum_total(vsum sum)
{
    const __m128i x = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    return (uint32_t)(_mm_extract_epi64(x, 0) + _mm_extract_epi64(x, 1));
}

/* Pairs of bytes as 16-bit values, kept by a mask; a table of 32-bit values. */

SIMD_INLINE v16 v8_pairs(v8 a)
{
    return a;
}

SIMD_INLINE uint32_t v16_below(v16 a, uint16_t n)
{
    const __m256i above = _mm256_and_si256(a, v16_set((uint16_t)-n));
    const __m256i is = _mm256_cmpeq_epi16(above, _mm256_setzero_si256());
    const __m128i bytes =
        _mm_packs_epi16(_mm256_castsi256_si128(is), _mm256_extracti128_si256(is, 1));
    return (uint32_t)_mm_movemask_epi8(bytes);
}

/* Each index of bytes as two, of a value's halves. */
SIMD_INLINE int v16_compress(uint16_t *to, v16 a, uint32_t bits)
{
    const __m128i half[2] = {_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)};
    int n = 0;
    for (int k = 0; k < 2; k++) {
        const uint32_t few = bits >> 8 * k & 255;
        const __m128i bytes = _mm_loadl_epi64((const void *)&simd_kept_first[few]);
        const __m128i twice = _mm_unpacklo_epi8(bytes, bytes);
        const __m128i order = _mm_add_epi8(_mm_add_epi8(twice, twice), _mm_set1_epi16(0x0100));
        _mm_storeu_si128((void *)(to + n), _mm_shuffle_epi8(half[k], order));
        n += __builtin_popcount(few);
    }
    return n;
}

typedef struct {
    v16x2 low, high;
} v32_halves;

/* Loads one by one take less time than a gather. */
SIMD_INLINE __m128i v8_four_32(const uint32_t *table, uint64_t at)
{
    __m128i x = _mm_cvtsi32_si128((int)table[at & 255]);
    x = _mm_insert_epi32(x, (int)table[at >> 16 & 255], 1);
    x = _mm_insert_epi32(x, (int)table[at >> 32 & 255], 2);
    return _mm_insert_epi32(x, (int)table[at >> 48 & 255], 3);
}

SIMD_INLINE __m256i v8_eight_32(const uint32_t *table, const uint64_t at[2], int shift)
{
    return _mm256_set_m128i(v8_four_32(table, at[1] >> shift), v8_four_32(table, at[0] >> shift));
}

/* Even and odd lanes from two vectors of 32-bit values. */
SIMD_INLINE v32_halves v8_look_up_32(const uint32_t table[256], v8 a)
{
    uint64_t at[4];
    _mm256_storeu_si256((void *)at, a);
    const __m256i p = v8_eight_32(table, at, 0), q = v8_eight_32(table, at, 8);
    const __m256i r = v8_eight_32(table, at + 2, 0), s = v8_eight_32(table, at + 2, 8);
    return (v32_halves){{_mm256_blend_epi16(p, _mm256_slli_epi32(q, 16), 0xaa),
                         _mm256_blend_epi16(r, _mm256_slli_epi32(s, 16), 0xaa)},
                        {_mm256_blend_epi16(_mm256_srli_epi32(p, 16), q, 0xaa),
                         _mm256_blend_epi16(_mm256_srli_epi32(r, 16), s, 0xaa)}};
}

#endif
