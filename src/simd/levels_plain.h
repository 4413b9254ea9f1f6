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

#endif
