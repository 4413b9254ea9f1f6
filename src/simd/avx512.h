/*
 * simd.h for x86-64-v4 with VBMI, VBMI2 and VNNI.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_AVX512_H
#define SAC_SIMD_AVX512_H

#include <immintrin.h>

#define V8 64
#define V16 32

typedef __m512i v8, v16;
typedef __mmask64 m8;
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
    return _mm512_loadu_si512(p);
}

SIMD_INLINE void v8_store(void *p, v8 a)
{
    sac_known(p);
    _mm512_storeu_si512(p, a);
}

SIMD_INLINE v8 v8_set(uint8_t x)
{
    return _mm512_set1_epi8((char)x);
}

SIMD_BINARY(v8, v8_add, _mm512_add_epi8)
SIMD_BINARY(v8, v8_sub, _mm512_sub_epi8)
SIMD_BINARY(v8, v8_adds, _mm512_adds_epu8)
SIMD_BINARY(v8, v8_subs, _mm512_subs_epu8)
SIMD_BINARY(v8, v8_min, _mm512_min_epu8)
SIMD_BINARY(v8, v8_max, _mm512_max_epu8)
SIMD_BINARY(v8, v8_and, _mm512_and_si512)
SIMD_BINARY(v8, v8_or, _mm512_or_si512)
SIMD_BINARY(v8, v8_xor, _mm512_xor_si512)

SIMD_INLINE v8 v8_without(v8 a, v8 b)
{
    return _mm512_andnot_si512(b, a);
}

/* The empty statement keeps gcc from loading both twice, once for each difference. */
SIMD_INLINE v8 v8_absd(v8 a, v8 b)
{
    __asm__("" : "+v"(a), "+v"(b));
    return _mm512_or_si512(_mm512_subs_epu8(a, b), _mm512_subs_epu8(b, a));
}

SIMD_INLINE m8 v8_gt(v8 a, v8 b)
{
    return _mm512_cmpgt_epu8_mask(a, b);
}

SIMD_INLINE m8 v8_eq(v8 a, v8 b)
{
    return _mm512_cmpeq_epu8_mask(a, b);
}

SIMD_INLINE v8 v8_select(m8 m, v8 yes, v8 no)
{
    return _mm512_mask_blend_epi8(m, no, yes);
}

SIMD_INLINE m8 m8_or(m8 a, m8 b)
{
    return a | b;
}

SIMD_INLINE m8 m8_and(m8 a, m8 b)
{
    return a & b;
}

SIMD_INLINE v8 m8_bytes(m8 m)
{
    return _mm512_movm_epi8(m);
}

SIMD_INLINE uint64_t m8_bits(m8 m)
{
    return m;
}

SIMD_INLINE bool m8_any(m8 m)
{
    return m;
}

SIMD_INLINE int m8_count(m8 m)
{
    return __builtin_popcountll(m);
}

/* Lists of 64 bytes, each a function of its index. */
#define V8_4(f, k, i) f(k, i), f(k, i + 1), f(k, i + 2), f(k, i + 3)
#define V8_16(f, k, i) V8_4(f, k, i), V8_4(f, k, i + 4), V8_4(f, k, i + 8), V8_4(f, k, i + 12)
#define V8_64(f, k) V8_16(f, k, 0), V8_16(f, k, 16), V8_16(f, k, 32), V8_16(f, k, 48)

/*
 * Channel k of pixel i is byte 3 i + k. FROM_AB selects it from the first two vectors; FROM_C keeps
 * that, or selects it from the third.
 */
#define V8_FROM_AB(k, i) (uint8_t)(3 * (i) + (k) < 128 ? 3 * (i) + (k) : 0)
#define V8_FROM_C(k, i) (uint8_t)(3 * (i) + (k) < 128 ? (i) : 3 * (i) + (k)-64)
/* Byte i of vector k is channel p % 3 of pixel p / 3, p = 64 k + i: from channels 0 and 1, then 2.
 */
#define V8_TO_01(k, i)                                                                             \
    (uint8_t)((64 * (k) + (i)) % 3 == 2 ? 0 : (64 * (k) + (i)) / 3 + 64 * ((64 * (k) + (i)) % 3))
#define V8_TO_2(k, i) (uint8_t)((64 * (k) + (i)) % 3 == 2 ? 64 + (64 * (k) + (i)) / 3 : (i))

_Alignas(64) static const uint8_t v8_from_ab[3][64] = {
    {V8_64(V8_FROM_AB, 0)}, {V8_64(V8_FROM_AB, 1)}, {V8_64(V8_FROM_AB, 2)}};
_Alignas(64) static const uint8_t v8_from_c[3][64] = {
    {V8_64(V8_FROM_C, 0)}, {V8_64(V8_FROM_C, 1)}, {V8_64(V8_FROM_C, 2)}};
_Alignas(64) static const uint8_t v8_to_01[3][64] = {
    {V8_64(V8_TO_01, 0)}, {V8_64(V8_TO_01, 1)}, {V8_64(V8_TO_01, 2)}};
_Alignas(64) static const uint8_t v8_to_2[3][64] = {
    {V8_64(V8_TO_2, 0)}, {V8_64(V8_TO_2, 1)}, {V8_64(V8_TO_2, 2)}};

SIMD_INLINE v8x3 v8_split3(v8x3 x)
{
    v8x3 r;
    for (int k = 0; k < 3; k++) {
        const __m512i ab = _mm512_permutex2var_epi8(x.c[0], v8_load(v8_from_ab[k]), x.c[1]);
        r.c[k] = _mm512_permutex2var_epi8(ab, v8_load(v8_from_c[k]), x.c[2]);
    }
    return r;
}

SIMD_INLINE v8x3 v8_load3(const uint8_t *p)
{
    return v8_split3((v8x3){{v8_load(p), v8_load(p + 64), v8_load(p + 128)}});
}

SIMD_INLINE v8x3 v8_mixed_absd3(const uint8_t *p, const uint8_t *q)
{
    v8x3 d;
    for (int k = 0; k < 3; k++)
        d.c[k] = v8_absd(v8_load(p + 64 * k), v8_load(q + 64 * k));
    return d;
}

SIMD_INLINE v8x3 v8_absd3(const uint8_t *p, const uint8_t *q)
{
    return v8_split3(v8_mixed_absd3(p, q));
}

#define V8_THREE_TIMES(k, i) (uint8_t)((64 * (k) + (i)) / 3)
_Alignas(64) static const uint8_t v8_three_times[3][64] = {
    {V8_64(V8_THREE_TIMES, 0)}, {V8_64(V8_THREE_TIMES, 1)}, {V8_64(V8_THREE_TIMES, 2)}};

SIMD_INLINE v8x3 m8_spread3(m8 m)
{
    const v8 x = m8_bytes(m);
    return (v8x3){{_mm512_permutexvar_epi8(v8_load(v8_three_times[0]), x),
                   _mm512_permutexvar_epi8(v8_load(v8_three_times[1]), x),
                   _mm512_permutexvar_epi8(v8_load(v8_three_times[2]), x)}};
}

SIMD_INLINE void v8_store3(uint8_t *p, v8x3 x)
{
    for (int k = 0; k < 3; k++) {
        const __m512i r = _mm512_permutex2var_epi8(x.c[0], v8_load(v8_to_01[k]), x.c[1]);
        v8_store(p + 64 * k, _mm512_permutex2var_epi8(r, v8_load(v8_to_2[k]), x.c[2]));
    }
}

/* Of two vectors, 32 pixels of 4 bytes: channels 2 k and 2 k + 1. And of a half of two such. */
#define V8_FROM_32(k, i) (uint8_t)(4 * ((i) % 32) + 2 * (k) + (i) / 32)
_Alignas(64) static const uint8_t v8_from_32[2][64] = {{V8_64(V8_FROM_32, 0)},
                                                       {V8_64(V8_FROM_32, 1)}};

SIMD_INLINE v8x4 v8_split4(v8x4 x)
{
    v8x4 r;
    for (int k = 0; k < 2; k++) {
        const __m512i from = v8_load(v8_from_32[k]);
        const __m512i ab = _mm512_permutex2var_epi8(x.c[0], from, x.c[1]);
        const __m512i cd = _mm512_permutex2var_epi8(x.c[2], from, x.c[3]);
        r.c[2 * k] = _mm512_shuffle_i64x2(ab, cd, 0x44);
        r.c[2 * k + 1] = _mm512_shuffle_i64x2(ab, cd, 0xee);
    }
    return r;
}

SIMD_INLINE v8x4 v8_load4(const uint8_t *p)
{
    return v8_split4((v8x4){{v8_load(p), v8_load(p + 64), v8_load(p + 128), v8_load(p + 192)}});
}

SIMD_INLINE v8x4 v8_absd4(const uint8_t *p, const uint8_t *q)
{
    v8x4 d;
    for (int k = 0; k < 4; k++)
        d.c[k] = v8_absd(v8_load(p + 64 * k), v8_load(q + 64 * k));
    return v8_split4(d);
}

/* Pairs of two channels' bytes, of pixels 32 k on; then pairs of those, of pixels 16 k on. */
#define V8_PAIR(k, i) (uint8_t)(32 * (k) + (i) / 2 + 64 * ((i) % 2))
#define V8_QUAD(k, i) (uint8_t)(32 * (k) + (i) / 4 * 2 + (i) % 2 + 64 * ((i) % 4 / 2))
_Alignas(64) static const uint8_t v8_pair[2][64] = {{V8_64(V8_PAIR, 0)}, {V8_64(V8_PAIR, 1)}};
_Alignas(64) static const uint8_t v8_quad[2][64] = {{V8_64(V8_QUAD, 0)}, {V8_64(V8_QUAD, 1)}};

SIMD_INLINE void v8_store4(uint8_t *p, v8x4 x)
{
    for (int k = 0; k < 2; k++) {
        const __m512i pair = v8_load(v8_pair[k]);
        const __m512i ab = _mm512_permutex2var_epi8(x.c[0], pair, x.c[1]);
        const __m512i cd = _mm512_permutex2var_epi8(x.c[2], pair, x.c[3]);
        v8_store(p + 128 * k, _mm512_permutex2var_epi8(ab, v8_load(v8_quad[0]), cd));
        v8_store(p + 128 * k + 64, _mm512_permutex2var_epi8(ab, v8_load(v8_quad[1]), cd));
    }
}

SIMD_INLINE v16 v16_load(const void *p)
{
    return _mm512_loadu_si512(p);
}

SIMD_INLINE void v16_store(void *p, v16 a)
{
    _mm512_storeu_si512(p, a);
}

SIMD_INLINE v16 v16_set(uint16_t x)
{
    return _mm512_set1_epi16((short)x);
}

SIMD_BINARY(v16, v16_add, _mm512_add_epi16)
SIMD_BINARY(v16, v16_sub, _mm512_sub_epi16)
SIMD_BINARY(v16, v16_min, _mm512_min_epu16)
SIMD_BINARY(v16, v16_max, _mm512_max_epu16)
SIMD_BINARY(v16, v16_mul, _mm512_mullo_epi16)
SIMD_BINARY(v16, v16_mulhi, _mm512_mulhi_epu16)
SIMD_BINARY(v16, v16_and, _mm512_and_si512)
SIMD_BINARY(v16, v16_or, _mm512_or_si512)

SIMD_INLINE v16 v16_absd(v16 a, v16 b)
{
    return _mm512_or_si512(_mm512_subs_epu16(a, b), _mm512_subs_epu16(b, a));
}

#define v16_shr(a, n) _mm512_srli_epi16(a, n)
#define v16_shl(a, n) _mm512_slli_epi16(a, n)

SIMD_INLINE v16x2 v8_widen(v8 a)
{
    return (v16x2){_mm512_cvtepu8_epi16(_mm512_castsi512_si256(a)),
                   _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(a, 1))};
}

SIMD_INLINE v8 v16_narrow(v16x2 a)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(a.lo)),
                              _mm512_cvtepi16_epi8(a.hi), 1);
}

/* Bytes kept or put back by a mask, and sums of bytes. */

SIMD_INLINE m8 v8_nonzero(v8 a)
{
    return _mm512_test_epi8_mask(a, a);
}

/* Through a register: to memory it is slow on Zen 4. */
SIMD_INLINE int v8_compress(uint8_t *to, v8 a, uint64_t bits)
{
    v8_store(to, _mm512_maskz_compress_epi8(bits, a));
    return (int)_mm_popcnt_u64(bits);
}

SIMD_INLINE v8 v8_expand(const uint8_t *from, uint64_t bits)
{
    const __mmask64 some = _bzhi_u64(~UINT64_C(0), (uint32_t)_mm_popcnt_u64(bits));
    return _mm512_maskz_expand_epi8(bits, _mm512_maskz_loadu_epi8(some, from));
}

typedef __m512i vsum;

SIMD_INLINE vsum vsum_zero(void)
{
    return _mm512_setzero_si512();
}

SIMD_INLINE vsum vsum_add(vsum sum, v8 a)
{
    return _mm512_add_epi64(sum, _mm512_sad_epu8(a, _mm512_setzero_si512()));
}

SIMD_INLINE uint32_t vsum_total(vsum sum)
{
    return (uint32_t)_mm512_reduce_add_epi64(sum);
}

/* Pairs of bytes as 16-bit values, kept by a mask; a table of 32-bit values. */

SIMD_INLINE v16 v8_pairs(v8 a)
{
    return a;
}

SIMD_INLINE uint32_t v16_below(v16 a, uint16_t n)
{
    return _mm512_cmplt_epu16_mask(a, v16_set(n));
}

SIMD_INLINE int v16_compress(uint16_t *to, v16 a, uint32_t bits)
{
    v16_store(to, _mm512_maskz_compress_epi16(bits, a));
    return __builtin_popcount(bits);
}

typedef struct {
    v16x2 low, high;
} v32_halves;

/* `index`: 32 of them, as 16-bit values. */
SIMD_INLINE v16x2 v16_look_up_32(const uint32_t *table, __m512i index)
{
    const __m512i even = _mm512_and_si512(index, _mm512_set1_epi32(255));
    const __m512i p = _mm512_i32gather_epi32(even, table, 4);
    const __m512i q = _mm512_i32gather_epi32(_mm512_srli_epi32(index, 16), table, 4);
    return (v16x2){_mm512_mask_blend_epi16(0xaaaaaaaa, p, _mm512_slli_epi32(q, 16)),
                   _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(p, 16), q)};
}

SIMD_INLINE v32_halves v8_look_up_32(const uint32_t table[256], v8 a)
{
    const v16x2 index = v8_widen(a);
    const v16x2 lo = v16_look_up_32(table, index.lo), hi = v16_look_up_32(table, index.hi);
    return (v32_halves){{lo.lo, hi.lo}, {lo.hi, hi.hi}};
}

#endif
