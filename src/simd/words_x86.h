/*
 * words.h in vectors of 32 bytes: for x86-64-v3, and as halves of those of x86-64-v4. Each half of
 * a vector has 8 pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_WORDS_X86_H
#define SAC_SIMD_WORDS_X86_H

#include <immintrin.h>

typedef struct {
    __m256i c[3];
} w16x3;
typedef struct {
    __m256i c[2];
} w16x2;

#define W16_HALVES(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)

/* Words whose place in a half leaves r when divided by 3, of b; the others of a. */
#define W16_THIRD(a, b, r) _mm256_blend_epi16(a, b, (r) == 0 ? 0x49 : (r) == 1 ? 0x92 : 0x24)

SIMD_INLINE __m256i w16_two(const uint16_t *p, const uint16_t *q)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)p)),
                                   _mm_loadu_si128((const void *)q), 1);
}

SIMD_INLINE void w16_two_store(uint16_t *p, uint16_t *q, __m256i a)
{
    _mm_storeu_si128((void *)p, _mm256_castsi256_si128(a));
    _mm_storeu_si128((void *)q, _mm256_extracti128_si256(a, 1));
}

/* In a half, sample 3 i + k of 24 is channel k of pixel i; (3 i + k) mod 8 is its place in one of
 * three vectors. Blends bring a channel into one vector, a shuffle puts it in order. */
SIMD_INLINE w16x3 w16_load3(const uint16_t *p)
{
    const __m256i a = w16_two(p, p + 24), b = w16_two(p + 8, p + 32), c = w16_two(p + 16, p + 40);
    const __m256i x = W16_THIRD(W16_THIRD(a, b, 1), c, 2);
    const __m256i y = W16_THIRD(W16_THIRD(a, b, 2), c, 0);
    const __m256i z = W16_THIRD(W16_THIRD(a, b, 0), c, 1);
    return (w16x3){{
        _mm256_shuffle_epi8(x, W16_HALVES(0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5, 10, 11)),
        _mm256_shuffle_epi8(y, W16_HALVES(2, 3, 8, 9, 14, 15, 4, 5, 10, 11, 0, 1, 6, 7, 12, 13)),
        _mm256_shuffle_epi8(z, W16_HALVES(4, 5, 10, 11, 0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15)),
    }};
}

SIMD_INLINE void w16_store3(uint16_t *p, w16x3 v)
{
    const __m256i x = _mm256_shuffle_epi8(
        v.c[0], W16_HALVES(0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5, 10, 11));
    const __m256i y = _mm256_shuffle_epi8(
        v.c[1], W16_HALVES(10, 11, 0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5));
    const __m256i z = _mm256_shuffle_epi8(
        v.c[2], W16_HALVES(4, 5, 10, 11, 0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15));
    w16_two_store(p, p + 24, W16_THIRD(W16_THIRD(x, y, 1), z, 2));
    w16_two_store(p + 8, p + 32, W16_THIRD(W16_THIRD(x, y, 2), z, 0));
    w16_two_store(p + 16, p + 40, W16_THIRD(W16_THIRD(x, y, 0), z, 1));
}

/* Loads one by one: a gather takes more time. `at` has the indices of four pixels, 16 bits each. */
SIMD_INLINE __m128i w16_four_32(const uint32_t *table, uint64_t at)
{
    __m128i x = _mm_cvtsi32_si128((int)table[at & 65535]);
    x = _mm_insert_epi32(x, (int)table[at >> 16 & 65535], 1);
    x = _mm_insert_epi32(x, (int)table[at >> 32 & 65535], 2);
    return _mm_insert_epi32(x, (int)table[at >> 48], 3);
}

/* The pairs (a[at[i]], b[at[i]]) of four pixels. */
SIMD_INLINE __m128i w16_four_pairs(const uint16_t *a, const uint16_t *b, const uint16_t *at)
{
    __m128i x = _mm_cvtsi32_si128(a[at[0]]);
    x = _mm_insert_epi16(x, b[at[0]], 1);
    x = _mm_insert_epi16(x, a[at[1]], 2);
    x = _mm_insert_epi16(x, b[at[1]], 3);
    x = _mm_insert_epi16(x, a[at[2]], 4);
    x = _mm_insert_epi16(x, b[at[2]], 5);
    x = _mm_insert_epi16(x, a[at[3]], 6);
    return _mm_insert_epi16(x, b[at[3]], 7);
}

/* Of eight, each less 2^15. */
SIMD_INLINE __m256i w16_pairs(const uint16_t *a, const uint16_t *b, const uint16_t *at)
{
    return _mm256_xor_si256(
        _mm256_set_m128i(w16_four_pairs(a, b, at + 4), w16_four_pairs(a, b, at)),
        _mm256_set1_epi16((short)0x8000));
}

SIMD_INLINE __m128i w16_four_at(const uint32_t *table, const uint16_t *at)
{
    __m128i x = _mm_cvtsi32_si128((int)table[at[0]]);
    x = _mm_insert_epi32(x, (int)table[at[1]], 1);
    x = _mm_insert_epi32(x, (int)table[at[2]], 2);
    return _mm_insert_epi32(x, (int)table[at[3]], 3);
}

/* table[at[i]] of eight, of both halves each less 2^15. */
SIMD_INLINE __m256i w16_table_pairs(const uint32_t *table, const uint16_t *at)
{
    return _mm256_xor_si256(_mm256_set_m128i(w16_four_at(table, at + 4), w16_four_at(table, at)),
                            _mm256_set1_epi16((short)0x8000));
}

SIMD_INLINE w16x2 w16_look_up_halves(const uint32_t *table, __m256i a)
{
    const __m256i zero = _mm256_setzero_si256();
    uint64_t at[4];
    _mm256_storeu_si256((void *)at, a);
    const __m256i x = _mm256_set_m128i(w16_four_32(table, at[2]), w16_four_32(table, at[0]));
    const __m256i y = _mm256_set_m128i(w16_four_32(table, at[3]), w16_four_32(table, at[1]));
    return (w16x2){{
        _mm256_packus_epi32(_mm256_blend_epi16(x, zero, 0xaa), _mm256_blend_epi16(y, zero, 0xaa)),
        _mm256_packus_epi32(_mm256_srli_epi32(x, 16), _mm256_srli_epi32(y, 16)),
    }};
}

#endif
