/*
 * levels.h in C without vectors: what each name means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_SIMD_LEVELS_PLAIN_H
#define SAC_SIMD_LEVELS_PLAIN_H

/* Lane i: line[2 a(i)] + line[2 a(i) + 1] weight[i], an exact sum of 0 to 2^31, without its
 * fraction; its lower and its upper halves. */
SIMD_INLINE v32_halves v8_on_lines(const double line[512], v8 a, const double *weight)
{
    uint32_t x[V8];
    v32_halves r;
    for (int i = 0; i < V8; i++)
        x[i] = (uint32_t)(line[2 * a.x[i]] + line[2 * a.x[i] + 1] * weight[i]);
    for (int i = 0; i < V16; i++) {
        r.low.lo.x[i] = (uint16_t)x[i];
        r.low.hi.x[i] = (uint16_t)x[V16 + i];
        r.high.lo.x[i] = (uint16_t)(x[i] >> 16);
        r.high.hi.x[i] = (uint16_t)(x[V16 + i] >> 16);
    }
    return r;
}

/* 65535 / a, for a > 0. */
SIMD_INLINE v16x2 v8_inverse(v8 a)
{
    v16x2 r;
    for (int i = 0; i < V16; i++) {
        r.lo.x[i] = (uint16_t)(65535 / a.x[i]);
        r.hi.x[i] = (uint16_t)(65535 / a.x[V16 + i]);
    }
    return r;
}

/* VC counts: 32 bits each. */
#define VC (V16 / 2)
typedef struct {
    uint32_t x[VC];
} vc;

SIMD_INLINE vc vc_load(const uint32_t *p)
{
    vc r;
    memcpy(&r, p, sizeof r);
    return r;
}

SIMD_INLINE void vc_store(uint32_t *p, vc a)
{
    memcpy(p, &a, sizeof a);
}

SIMD_INLINE vc vc_set(uint32_t x)
{
    vc r;
    for (int i = 0; i < VC; i++)
        r.x[i] = x;
    return r;
}

SIMD_EACH(vc, vc_add, a.x[i] + b.x[i])
SIMD_EACH(vc, vc_min, a.x[i] < b.x[i] ? a.x[i] : b.x[i])

/* Each with all before it. */
SIMD_INLINE vc vc_sums(vc a)
{
    for (int i = 1; i < VC; i++)
        a.x[i] += a.x[i - 1];
    return a;
}

/* The last one everywhere. */
SIMD_INLINE vc vc_last(vc a)
{
    return vc_set(a.x[VC - 1]);
}

/* Values below 2^16. */
SIMD_INLINE void vc_store_words(uint16_t *p, vc a)
{
    for (int i = 0; i < VC; i++)
        p[i] = (uint16_t)a.x[i];
}

/* The integer nearest to slope a + base, rounded once, from -1/2 to 2^32; for a below 2^31. */
SIMD_INLINE void vc_store_line(uint32_t *to, vc a, double slope, double base)
{
    for (int i = 0; i < VC; i++)
        to[i] = (uint32_t)(int64_t)__builtin_rint(__builtin_fma(a.x[i], slope, base));
}

#endif
