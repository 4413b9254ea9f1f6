/*
 * sums.h in C without vectors: what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_SUMS_PLAIN_H
#define SAC_SIMD_SUMS_PLAIN_H

#include <math.h>

typedef v16 m16; /* 0xffff or 0 in each lane */
typedef struct {
    uint32_t x;
} v32; /* sums of 16-bit values, in an order of the set's own */

/* Bit i: whether byte i of 64 is at least t's, which are all equal. */
SIMD_INLINE uint64_t bits64_ge(const uint8_t *p, v8 t)
{
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++)
        bits |= (uint64_t)(p[i] >= t.x[0]) << i;
    return bits;
}

/* 255 where bit i is set, of the lowest V8 bits: the way back from m8_bits(). */
SIMD_INLINE v8 v8_from_bits(uint64_t bits)
{
    v8 r;
    for (int i = 0; i < V8; i++)
        r.x[i] = bits >> i & 1 ? 255 : 0;
    return r;
}

/* V16 bytes in memory as 16-bit values. */
SIMD_INLINE v16 v16_load_bytes(const uint8_t *p)
{
    v16 r;
    for (int i = 0; i < V16; i++)
        r.x[i] = p[i];
    return r;
}

/* Of values below 2^15. */
SIMD_INLINE m16 v16_gt(v16 a, v16 b)
{
    for (int i = 0; i < V16; i++)
        a.x[i] = a.x[i] > b.x[i] ? 0xffff : 0;
    return a;
}

/* 0 where the mask is not set. */
SIMD_INLINE v16 v16_where(v16 a, m16 m)
{
    return v16_and(a, m);
}

/* floor(16 sqrt(x^2 + y^2) + 1/2) of values up to 255. */
SIMD_INLINE v16 v16_lengths_16(v16 x, v16 y)
{
    for (int i = 0; i < V16; i++)
        x.x[i] = (uint16_t)(16 * sqrt(x.x[i] * x.x[i] + y.x[i] * y.x[i]) + 0.5);
    return x;
}

SIMD_INLINE v32 v32_zero(void)
{
    return (v32){0};
}

/* Values below 2^15. */
SIMD_INLINE v32 v32_add(v32 sum, v16 a)
{
    for (int i = 0; i < V16; i++)
        sum.x += a.x[i];
    return sum;
}

SIMD_INLINE v32 v32_add_where(v32 sum, v16 a, m16 m)
{
    return v32_add(sum, v16_where(a, m));
}

SIMD_INLINE uint32_t v32_total(v32 sum)
{
    return sum.x;
}

/* Adds the sum of a's bytes, n times; all that is added so must be below 2^32. */
SIMD_INLINE vsum vsum_add_times(vsum sum, v8 a, uint32_t n)
{
    sum.x += n * vsum_add(vsum_zero(), a).x;
    return sum;
}

#endif
