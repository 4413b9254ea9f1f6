/*
 * words.h in C without vectors: what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_WORDS_PLAIN_H
#define SAC_SIMD_WORDS_PLAIN_H

typedef struct {
    v16 c[3];
} v16x3;
typedef struct {
    v16 c[4];
} v16x4;
typedef struct {
    double x[V16];
} v16d;

/* V16 pixels of 3 samples: plane k is sample k of each. */
SIMD_INLINE v16x3 v16_load3(const uint16_t *p)
{
    v16x3 r;
    for (int i = 0; i < 3 * V16; i++)
        r.c[i % 3].x[i / 3] = p[i];
    return r;
}

SIMD_INLINE void v16_store3(uint16_t *p, v16x3 a)
{
    for (int i = 0; i < 3 * V16; i++)
        p[i] = a.c[i % 3].x[i / 3];
}

SIMD_EACH(v16, v16_xor, a.x[i] ^ b.x[i])

/* 1 where a + b needs 17 bits, else 0. */
SIMD_EACH(v16, v16_carry, (uint16_t)((a.x[i] + b.x[i]) >> 16))

SIMD_INLINE bool v16_any_zero(v16 a)
{
    bool any = false;
    for (int i = 0; i < V16; i++)
        any |= a.x[i] == 0;
    return any;
}

/* table[a(i)] << 8 in four pieces, the lowest first. */
SIMD_INLINE v16x4 v16_look_up_56(const uint64_t *table, v16 a)
{
    v16x4 r;
    for (int i = 0; i < V16; i++)
        for (int k = 0; k < 4; k++)
            r.c[k].x[i] = (uint16_t)(table[a.x[i]] << 8 >> 16 * k);
    return r;
}

SIMD_INLINE v16d v16d_set(double x)
{
    v16d r;
    for (int i = 0; i < V16; i++)
        r.x[i] = x;
    return r;
}

SIMD_INLINE v16d v16d_load_u32(const uint32_t *p)
{
    v16d r;
    for (int i = 0; i < V16; i++)
        r.x[i] = p[i];
    return r;
}

SIMD_INLINE v16d v16d_from(v16 a)
{
    v16d r;
    for (int i = 0; i < V16; i++)
        r.x[i] = a.x[i];
    return r;
}

/* Without the fractions; 0 <= a < 2^16. */
SIMD_INLINE v16 v16_from(v16d a)
{
    v16 r;
    for (int i = 0; i < V16; i++)
        r.x[i] = (uint16_t)a.x[i];
    return r;
}

#endif
