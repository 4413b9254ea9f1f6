/*
 * simd.h in C without vectors: what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_PLAIN_H
#define SAC_SIMD_PLAIN_H

#define V8 16
#define V16 8

typedef struct {
    uint8_t x[V8];
} v8, m8; /* m8: 255 or 0 in each byte */
typedef struct {
    uint16_t x[V16];
} v16;
typedef struct {
    v8 c[3];
} v8x3;
typedef struct {
    v8 c[4];
} v8x4;
typedef struct {
    v16 lo, hi;
} v16x2;

/* name(a, b), lane i of which is `lane`. */
#define SIMD_EACH(type, name, lane)                                                                \
    SIMD_INLINE type name(type a, type b)                                                          \
    {                                                                                              \
        type r;                                                                                    \
        for (size_t i = 0; i < sizeof r.x / sizeof r.x[0]; i++)                                    \
            r.x[i] = lane;                                                                         \
        return r;                                                                                  \
    }

SIMD_INLINE v8 v8_load(const void *p)
{
    v8 r;
    memcpy(&r, p, sizeof r);
    return r;
}

SIMD_INLINE void v8_store(void *p, v8 a)
{
    memcpy(p, &a, sizeof a);
}

SIMD_INLINE v8 v8_set(uint8_t x)
{
    v8 r;
    for (int i = 0; i < V8; i++)
        r.x[i] = x;
    return r;
}

SIMD_EACH(v8, v8_add, (uint8_t)(a.x[i] + b.x[i]))
SIMD_EACH(v8, v8_sub, (uint8_t)(a.x[i] - b.x[i]))
SIMD_EACH(v8, v8_adds, (uint8_t)(a.x[i] + b.x[i] > 255 ? 255 : a.x[i] + b.x[i]))
SIMD_EACH(v8, v8_subs, (uint8_t)(a.x[i] > b.x[i] ? a.x[i] - b.x[i] : 0))
SIMD_EACH(v8, v8_min, a.x[i] < b.x[i] ? a.x[i] : b.x[i])
SIMD_EACH(v8, v8_max, a.x[i] > b.x[i] ? a.x[i] : b.x[i])
SIMD_EACH(v8, v8_and, a.x[i] & b.x[i])
SIMD_EACH(v8, v8_or, a.x[i] | b.x[i])
SIMD_EACH(v8, v8_xor, a.x[i] ^ b.x[i])
SIMD_EACH(v8, v8_without, a.x[i] & (uint8_t)~b.x[i])
SIMD_EACH(v8, v8_absd, (uint8_t)(a.x[i] > b.x[i] ? a.x[i] - b.x[i] : b.x[i] - a.x[i]))

SIMD_INLINE v16 v16_load(const void *p)
{
    v16 r;
    memcpy(&r, p, sizeof r);
    return r;
}

SIMD_INLINE void v16_store(void *p, v16 a)
{
    memcpy(p, &a, sizeof a);
}

SIMD_INLINE v16 v16_set(uint16_t x)
{
    v16 r;
    for (int i = 0; i < V16; i++)
        r.x[i] = x;
    return r;
}

SIMD_EACH(v16, v16_add, (uint16_t)(a.x[i] + b.x[i]))
SIMD_EACH(v16, v16_sub, (uint16_t)(a.x[i] - b.x[i]))
SIMD_EACH(v16, v16_min, a.x[i] < b.x[i] ? a.x[i] : b.x[i])
SIMD_EACH(v16, v16_max, a.x[i] > b.x[i] ? a.x[i] : b.x[i])
SIMD_EACH(v16, v16_mul, (uint16_t)((uint32_t)a.x[i] * b.x[i]))
SIMD_EACH(v16, v16_mulhi, (uint16_t)((uint32_t)a.x[i] * b.x[i] >> 16))
SIMD_EACH(v8, v8_gt, a.x[i] > b.x[i] ? 255 : 0)
SIMD_EACH(v8, v8_eq, a.x[i] == b.x[i] ? 255 : 0)

SIMD_INLINE v8 v8_select(m8 m, v8 yes, v8 no)
{
    v8 r;
    for (int i = 0; i < V8; i++)
        r.x[i] = m.x[i] ? yes.x[i] : no.x[i];
    return r;
}

SIMD_INLINE m8 m8_or(m8 a, m8 b)
{
    return v8_or(a, b);
}

SIMD_INLINE m8 m8_and(m8 a, m8 b)
{
    return v8_and(a, b);
}

SIMD_INLINE v8 m8_bytes(m8 m)
{
    return m;
}

/* Bit i is byte i's. */
SIMD_INLINE uint64_t m8_bits(m8 m)
{
    uint64_t bits = 0;
    for (int i = 0; i < V8; i++)
        bits |= (uint64_t)(m.x[i] & 1) << i;
    return bits;
}

SIMD_INLINE bool m8_any(m8 m)
{
    return m8_bits(m);
}

SIMD_INLINE int m8_count(m8 m)
{
    return __builtin_popcountll(m8_bits(m));
}

SIMD_EACH(v16, v16_and, a.x[i] & b.x[i])
SIMD_EACH(v16, v16_or, a.x[i] | b.x[i])

SIMD_INLINE v16 v16_absd(v16 a, v16 b)
{
    return v16_sub(v16_max(a, b), v16_min(a, b));
}

/* V8 pixels of 3 bytes: plane k is byte k of each. */
SIMD_INLINE v8x3 v8_load3(const uint8_t *p)
{
    v8x3 r;
    for (int i = 0; i < 3 * V8; i++)
        r.c[i % 3].x[i / 3] = p[i];
    return r;
}

SIMD_INLINE void v8_store3(uint8_t *p, v8x3 a)
{
    for (int i = 0; i < 3 * V8; i++)
        p[i] = a.c[i % 3].x[i / 3];
}

/* Differences of the pixels at p and at q. */
SIMD_INLINE v8x3 v8_absd3(const uint8_t *p, const uint8_t *q)
{
    v8x3 a = v8_load3(p), b = v8_load3(q);
    for (int k = 0; k < 3; k++)
        a.c[k] = v8_absd(a.c[k], b.c[k]);
    return a;
}

/* The same in an order that each set has its own of; v8_split3() makes planes of it. */
SIMD_INLINE v8x3 v8_mixed_absd3(const uint8_t *p, const uint8_t *q)
{
    return v8_absd3(p, q);
}

SIMD_INLINE v8x3 v8_split3(v8x3 mixed)
{
    return mixed;
}

/* Each lane three times, as the bytes of V8 pixels of 3 are in memory. */
SIMD_INLINE v8x3 m8_spread3(m8 m)
{
    v8x3 r;
    for (int i = 0; i < 3 * V8; i++)
        r.c[i / V8].x[i % V8] = m8_bytes(m).x[i / 3];
    return r;
}

/* V8 pixels of 4 bytes: plane k is byte k of each. */
SIMD_INLINE v8x4 v8_load4(const uint8_t *p)
{
    v8x4 r;
    for (int i = 0; i < 4 * V8; i++)
        r.c[i % 4].x[i / 4] = p[i];
    return r;
}

SIMD_INLINE void v8_store4(uint8_t *p, v8x4 a)
{
    for (int i = 0; i < 4 * V8; i++)
        p[i] = a.c[i % 4].x[i / 4];
}

/* Differences of the pixels at p and at q. */
SIMD_INLINE v8x4 v8_absd4(const uint8_t *p, const uint8_t *q)
{
    v8x4 a = v8_load4(p), b = v8_load4(q);
    for (int k = 0; k < 4; k++)
        a.c[k] = v8_absd(a.c[k], b.c[k]);
    return a;
}

SIMD_INLINE v16 v16_shr(v16 a, int n)
{
    v16 r;
    for (int i = 0; i < V16; i++)
        r.x[i] = (uint16_t)(a.x[i] >> n);
    return r;
}

SIMD_INLINE v16 v16_shl(v16 a, int n)
{
    v16 r;
    for (int i = 0; i < V16; i++)
        r.x[i] = (uint16_t)(a.x[i] << n);
    return r;
}

/* V8 bytes as 16-bit values, the first V16 in lo. */
SIMD_INLINE v16x2 v8_widen(v8 a)
{
    v16x2 r;
    for (int i = 0; i < V16; i++) {
        r.lo.x[i] = a.x[i];
        r.hi.x[i] = a.x[V16 + i];
    }
    return r;
}

/* The way back, for values up to 255. */
SIMD_INLINE v8 v16_narrow(v16x2 a)
{
    v8 r;
    for (int i = 0; i < V16; i++) {
        r.x[i] = (uint8_t)a.lo.x[i];
        r.x[V16 + i] = (uint8_t)a.hi.x[i];
    }
    return r;
}

/* Bytes kept or put back by a mask, and sums of bytes. */

SIMD_INLINE m8 v8_nonzero(v8 a)
{
    m8 r;
    for (int i = 0; i < V8; i++)
        r.x[i] = a.x[i] ? 255 : 0;
    return r;
}

/* The bytes of `a` whose bit is set, in order, to `to`, where V8 bytes may be written; how many. */
SIMD_INLINE int v8_compress(uint8_t *to, v8 a, uint64_t bits)
{
    int n = 0;
    for (int i = 0; i < V8; i++)
        if (bits >> i & 1)
            to[n++] = a.x[i];
    return n;
}

/* The way back: the next byte of `from` where a bit is set, 0 elsewhere. Up to 8 bytes after those
 * may be read. */
SIMD_INLINE v8 v8_expand(const uint8_t *from, uint64_t bits)
{
    v8 r;
    for (int i = 0; i < V8; i++)
        r.x[i] = bits >> i & 1 ? *from++ : 0;
    return r;
}

/* Sums of bytes: fewer than 2^24 of them. */
typedef struct {
    uint32_t x;
} vsum;

SIMD_INLINE vsum vsum_zero(void)
{
    return (vsum){0};
}

SIMD_INLINE vsum vsum_add(vsum sum, v8 a)
{
    for (int i = 0; i < V8; i++)
        sum.x += a.x[i];
    return sum;
}

SIMD_INLINE uint32_t vsum_total(vsum sum)
{
    return sum.x;
}

/* Pairs of bytes as 16-bit values, kept by a mask; a table of 32-bit values. */

/* Bytes 2 i and 2 i + 1 as the low and high half of value i. */
SIMD_INLINE v16 v8_pairs(v8 a)
{
    v16 r;
    for (int i = 0; i < V16; i++)
        r.x[i] = (uint16_t)(a.x[2 * i] | a.x[2 * i + 1] << 8);
    return r;
}

/* Bit i says whether a(i) < n, a power of two. */
SIMD_INLINE uint32_t v16_below(v16 a, uint16_t n)
{
    uint32_t bits = 0;
    for (int i = 0; i < V16; i++)
        bits |= (uint32_t)(a.x[i] < n) << i;
    return bits;
}

/* The values whose bit is set, in order, to `to`, where V16 may be written; how many. */
SIMD_INLINE int v16_compress(uint16_t *to, v16 a, uint32_t bits)
{
    int n = 0;
    for (int i = 0; i < V16; i++)
        if (bits >> i & 1)
            to[n++] = a.x[i];
    return n;
}

/* table[a(i)], its lower and its upper halves. */
typedef struct {
    v16x2 low, high;
} v32_halves;

SIMD_INLINE v32_halves v8_look_up_32(const uint32_t table[256], v8 a)
{
    v32_halves r;
    for (int i = 0; i < V16; i++) {
        const uint32_t x = table[a.x[i]], y = table[a.x[V16 + i]];
        r.low.lo.x[i] = (uint16_t)x;
        r.high.lo.x[i] = (uint16_t)(x >> 16);
        r.low.hi.x[i] = (uint16_t)y;
        r.high.hi.x[i] = (uint16_t)(y >> 16);
    }
    return r;
}

#endif
