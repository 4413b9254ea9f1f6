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
    double x[V16];
} v16d;
typedef struct {
    int16_t x[V16][2];
} v16p; /* V16 pairs of signed values */

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

/* Half of the sum, rounded up. */
SIMD_EACH(v16, v16_avg, (uint16_t)((a.x[i] + b.x[i] + 1) >> 1))

SIMD_INLINE bool v16_any_zero(v16 a)
{
    bool any = false;
    for (int i = 0; i < V16; i++)
        any |= a.x[i] == 0;
    return any;
}

/* 2^z, z the leading zeros of a > 0. */
SIMD_INLINE v16 v16_lead(v16 a)
{
    for (int i = 0; i < V16; i++) {
        uint16_t lead = 1;
        while (a.x[i] && lead * a.x[i] < 0x8000)
            lead *= 2;
        a.x[i] = lead;
    }
    return a;
}

/* table[a(i)], its lower and its upper halves. */
SIMD_INLINE v16x2 v16_look_up_halves(const uint32_t *table, v16 a)
{
    v16x2 r;
    for (int i = 0; i < V16; i++) {
        r.lo.x[i] = (uint16_t)table[a.x[i]];
        r.hi.x[i] = (uint16_t)(table[a.x[i]] >> 16);
    }
    return r;
}

SIMD_INLINE v16d v16d_set(double x)
{
    v16d r;
    for (int i = 0; i < V16; i++)
        r.x[i] = x;
    return r;
}

/* 2^52 + p[i]: as long as only differences count, there is nothing to convert. */
SIMD_INLINE v16d v16d_load_u32(const uint32_t *p)
{
    v16d r;
    for (int i = 0; i < V16; i++)
        r.x[i] = 0x1p52 + p[i];
    return r;
}

SIMD_INLINE v16d v16d_from(v16 a)
{
    v16d r;
    for (int i = 0; i < V16; i++)
        r.x[i] = a.x[i];
    return r;
}

SIMD_INLINE v16d v16d_load(const double *p)
{
    v16d r;
    memcpy(&r, p, sizeof r);
    return r;
}

/* a b + c, rounded once. */
SIMD_INLINE v16d v16d_fma(v16d a, v16d b, v16d c)
{
    for (int i = 0; i < V16; i++)
        a.x[i] = __builtin_fma(a.x[i], b.x[i], c.x[i]);
    return a;
}

SIMD_INLINE v16p v16p_load(const int16_t *p)
{
    v16p r;
    memcpy(&r, p, sizeof r);
    return r;
}

/* a[at[i]] and b[at[i]], each less 2^15. */
SIMD_INLINE v16p v16p_look_up(const uint16_t *a, const uint16_t *b, const uint16_t *at)
{
    v16p r;
    for (int i = 0; i < V16; i++) {
        r.x[i][0] = (int16_t)(a[at[i]] - 32768);
        r.x[i][1] = (int16_t)(b[at[i]] - 32768);
    }
    return r;
}

/* a[i] in the lower half of to[i], b[i] in the upper one. */
SIMD_INLINE void v16_store_pairs(uint32_t *to, v16 a, v16 b)
{
    for (int i = 0; i < V16; i++)
        to[i] = a.x[i] | (uint32_t)b.x[i] << 16;
}

/* Of such a table, both halves of table[at[i]], each less 2^15. */
SIMD_INLINE v16p v16p_of_table(const uint32_t *table, const uint16_t *at)
{
    v16p r;
    for (int i = 0; i < V16; i++) {
        r.x[i][0] = (int16_t)((table[at[i]] & 65535) - 32768);
        r.x[i][1] = (int16_t)((table[at[i]] >> 16) - 32768);
    }
    return r;
}

/* The products' sums of pairs, below 2^31. */
SIMD_INLINE v16d v16p_mix(v16p a, v16p b)
{
    v16d r;
    for (int i = 0; i < V16; i++)
        r.x[i] = a.x[i][0] * b.x[i][0] + a.x[i][1] * b.x[i][1];
    return r;
}

/* To the nearest integer, below 2^32: its lower and its upper halves. */
SIMD_INLINE v16x2 v16d_halves(v16d a)
{
    v16x2 r;
    for (int i = 0; i < V16; i++) {
        const uint32_t x = (uint32_t)(int64_t)__builtin_rint(a.x[i]);
        r.lo.x[i] = (uint16_t)x;
        r.hi.x[i] = (uint16_t)(x >> 16);
    }
    return r;
}

#endif
