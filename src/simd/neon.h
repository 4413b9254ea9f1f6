/*
 * simd.h for AArch64.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_NEON_H
#define SAC_SIMD_NEON_H

#include <arm_neon.h>

#include "simd/byte_order.h"

#define V8 16
#define V16 8

typedef uint8x16_t v8, m8; /* m8: 255 or 0 in each byte */
typedef uint16x8_t v16;
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
    return vld1q_u8(p);
}

SIMD_INLINE void v8_store(void *p, v8 a)
{
    vst1q_u8(p, a);
}

SIMD_INLINE v8 v8_set(uint8_t x)
{
    return vdupq_n_u8(x);
}

SIMD_BINARY(v8, v8_add, vaddq_u8)
SIMD_BINARY(v8, v8_sub, vsubq_u8)
SIMD_BINARY(v8, v8_adds, vqaddq_u8)
SIMD_BINARY(v8, v8_subs, vqsubq_u8)
SIMD_BINARY(v8, v8_min, vminq_u8)
SIMD_BINARY(v8, v8_max, vmaxq_u8)
SIMD_BINARY(v8, v8_and, vandq_u8)
SIMD_BINARY(v8, v8_or, vorrq_u8)
SIMD_BINARY(v8, v8_xor, veorq_u8)
SIMD_BINARY(v8, v8_without, vbicq_u8)
SIMD_BINARY(v8, v8_absd, vabdq_u8)

SIMD_INLINE m8 v8_gt(v8 a, v8 b)
{
    return vcgtq_u8(a, b);
}

SIMD_INLINE m8 v8_eq(v8 a, v8 b)
{
    return vceqq_u8(a, b);
}

SIMD_INLINE v8 v8_select(m8 m, v8 yes, v8 no)
{
    return vbslq_u8(m, yes, no);
}

SIMD_BINARY(m8, m8_or, vorrq_u8)
SIMD_BINARY(m8, m8_and, vandq_u8)

SIMD_INLINE v8 m8_bytes(m8 m)
{
    return m;
}

SIMD_INLINE uint64_t m8_bits(m8 m)
{
    static const uint8_t bit[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t x = vandq_u8(m, vld1q_u8(bit));
    return (uint64_t)vaddv_u8(vget_low_u8(x)) | (uint64_t)vaddv_u8(vget_high_u8(x)) << 8;
}

SIMD_INLINE bool m8_any(m8 m)
{
    return vmaxvq_u8(m);
}

SIMD_INLINE int m8_count(m8 m)
{
    return vaddvq_u8(vshrq_n_u8(m, 7));
}

SIMD_INLINE v8x3 v8_load3(const uint8_t *p)
{
    const uint8x16x3_t x = vld3q_u8(p);
    return (v8x3){{x.val[0], x.val[1], x.val[2]}};
}

SIMD_INLINE void v8_store3(uint8_t *p, v8x3 x)
{
    vst3q_u8(p, (uint8x16x3_t){{x.c[0], x.c[1], x.c[2]}});
}

SIMD_INLINE v8x3 v8_absd3(const uint8_t *p, const uint8_t *q)
{
    v8x3 a = v8_load3(p), b = v8_load3(q);
    for (int k = 0; k < 3; k++)
        a.c[k] = v8_absd(a.c[k], b.c[k]);
    return a;
}

SIMD_INLINE v8x3 v8_mixed_absd3(const uint8_t *p, const uint8_t *q)
{
    return v8_absd3(p, q);
}

SIMD_INLINE v8x3 v8_split3(v8x3 mixed)
{
    return mixed;
}

SIMD_INLINE v8x3 m8_spread3(m8 m)
{
    const uint8x16_t a = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5};
    const uint8x16_t b = {5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10};
    const uint8x16_t c = {10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15};
    return (v8x3){{vqtbl1q_u8(m, a), vqtbl1q_u8(m, b), vqtbl1q_u8(m, c)}};
}

SIMD_INLINE v8x4 v8_load4(const uint8_t *p)
{
    const uint8x16x4_t x = vld4q_u8(p);
    return (v8x4){{x.val[0], x.val[1], x.val[2], x.val[3]}};
}

SIMD_INLINE void v8_store4(uint8_t *p, v8x4 x)
{
    vst4q_u8(p, (uint8x16x4_t){{x.c[0], x.c[1], x.c[2], x.c[3]}});
}

SIMD_INLINE v8x4 v8_absd4(const uint8_t *p, const uint8_t *q)
{
    v8x4 a = v8_load4(p), b = v8_load4(q);
    for (int k = 0; k < 4; k++)
        a.c[k] = v8_absd(a.c[k], b.c[k]);
    return a;
}

SIMD_INLINE v16 v16_load(const void *p)
{
    return vld1q_u16(p);
}

SIMD_INLINE void v16_store(void *p, v16 a)
{
    vst1q_u16(p, a);
}

SIMD_INLINE v16 v16_set(uint16_t x)
{
    return vdupq_n_u16(x);
}

SIMD_BINARY(v16, v16_add, vaddq_u16)
SIMD_BINARY(v16, v16_sub, vsubq_u16)
SIMD_BINARY(v16, v16_min, vminq_u16)
SIMD_BINARY(v16, v16_max, vmaxq_u16)
SIMD_BINARY(v16, v16_mul, vmulq_u16)

SIMD_INLINE v16 v16_mulhi(v16 a, v16 b)
{
    const uint32x4_t lo = vmull_u16(vget_low_u16(a), vget_low_u16(b)), hi = vmull_high_u16(a, b);
    return vuzp2q_u16(vreinterpretq_u16_u32(lo), vreinterpretq_u16_u32(hi));
}

SIMD_BINARY(v16, v16_and, vandq_u16)
SIMD_BINARY(v16, v16_or, vorrq_u16)
SIMD_BINARY(v16, v16_absd, vabdq_u16)

#define v16_shr(a, n) vshrq_n_u16(a, n)
#define v16_shl(a, n) vshlq_n_u16(a, n)

SIMD_INLINE v16x2 v8_widen(v8 a)
{
    return (v16x2){vmovl_u8(vget_low_u8(a)), vmovl_high_u8(a)};
}

SIMD_INLINE v8 v16_narrow(v16x2 a)
{
    return vuzp1q_u8(vreinterpretq_u8_u16(a.lo), vreinterpretq_u8_u16(a.hi));
}

/* Bytes kept or put back by a mask, and sums of bytes. */

SIMD_INLINE m8 v8_nonzero(v8 a)
{
    return vtstq_u8(a, a);
}

SIMD_INLINE int v8_compress(uint8_t *to, v8 a, uint64_t bits)
{
    const uint64_t few = bits & 255, more = bits >> 8 & 255;
    const int n = __builtin_popcountll(few);
    const uint8x8_t lo = vcreate_u8(simd_kept_first[few]), hi = vcreate_u8(simd_kept_first[more]);
    vst1_u8(to, vtbl1_u8(vget_low_u8(a), lo));
    vst1_u8(to + n, vtbl1_u8(vget_high_u8(a), hi));
    return n + __builtin_popcountll(more);
}

SIMD_INLINE v8 v8_expand(const uint8_t *from, uint64_t bits)
{
    const uint64_t few = bits & 255, more = bits >> 8 & 255;
    const uint8x8_t lo = vld1_u8(from), hi = vld1_u8(from + __builtin_popcountll(few));
    return vcombine_u8(vtbl1_u8(lo, vcreate_u8(simd_put_back[few])),
                       vtbl1_u8(hi, vcreate_u8(simd_put_back[more])));
}

typedef uint32x4_t vsum;

SIMD_INLINE vsum vsum_zero(void)
{
    return vdupq_n_u32(0);
}

SIMD_INLINE vsum vsum_add(vsum sum, v8 a)
{
    return vpadalq_u16(sum, vpaddlq_u8(a));
}

SIMD_INLINE uint32_t vsum_total(vsum sum)
{
    return vaddvq_u32(sum);
}

/* Pairs of bytes as 16-bit values, kept by a mask; a table of 32-bit values. */

SIMD_INLINE v16 v8_pairs(v8 a)
{
    return vreinterpretq_u16_u8(a);
}

SIMD_INLINE uint32_t v16_below(v16 a, uint16_t n)
{
    static const uint16_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u16(vandq_u16(vcltq_u16(a, vdupq_n_u16(n)), vld1q_u16(bit)));
}

/* Each index of bytes as two, of a value's halves. */
SIMD_INLINE int v16_compress(uint16_t *to, v16 a, uint32_t bits)
{
    const uint8x8_t bytes = vshl_n_u8(vcreate_u8(simd_kept_first[bits]), 1);
    const uint8x16_t order = vreinterpretq_u8_u16(
        vaddq_u16(vreinterpretq_u16_u8(vcombine_u8(vzip1_u8(bytes, bytes), vzip2_u8(bytes, bytes))),
                  vdupq_n_u16(0x0100)));
    vst1q_u16(to, vreinterpretq_u16_u8(vqtbl1q_u8(vreinterpretq_u8_u16(a), order)));
    return __builtin_popcount(bits);
}

typedef struct {
    v16x2 low, high;
} v32_halves;

SIMD_INLINE uint16x8x2_t v8_eight_32(const uint32_t *table, const uint8_t *at)
{
    uint32_t x[8];
    for (int i = 0; i < 8; i++)
        x[i] = table[at[i]];
    const uint16x8_t a = vreinterpretq_u16_u32(vld1q_u32(x));
    const uint16x8_t b = vreinterpretq_u16_u32(vld1q_u32(x + 4));
    return (uint16x8x2_t){{vuzp1q_u16(a, b), vuzp2q_u16(a, b)}};
}

SIMD_INLINE v32_halves v8_look_up_32(const uint32_t table[256], v8 a)
{
    uint8_t at[V8];
    vst1q_u8(at, a);
    const uint16x8x2_t lo = v8_eight_32(table, at), hi = v8_eight_32(table, at + 8);
    return (v32_halves){{lo.val[0], hi.val[0]}, {lo.val[1], hi.val[1]}};
}

#endif
