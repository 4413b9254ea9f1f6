/*
 * Multipliers that evaluate floor(t x + 1/2), t = M s(bin(V)) / V, exactly for every x <= V.
 *
 * q = ceil(2^k t) is never too small. It is too large only if some x reaches the next integer
 * early; then the sums of the two staircases over all x differ, and a lattice point count (Graham,
 * Knuth and Patashnik, "Concrete Mathematics", 3.5) sees it in O(log V) steps. q - 1 is right in
 * that case: see docs/numerics.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/scale.h"

/* One 64-bit division where that is enough. */
static sac_uint128 divide(sac_uint128 a, sac_uint128 b)
{
    if (!(a >> 64) && !(b >> 64))
        return (uint64_t)a / (uint64_t)b;
    return a / b;
}

/* The sum over i = 0..n-1 of floor((a i + b) / m), modulo 2^128. */
static sac_uint128 floor_sum(sac_uint128 n, sac_uint128 m, sac_uint128 a, sac_uint128 b)
{
    sac_uint128 sum = 0;
    for (;;) {
        if (a >= m) {
            sac_uint128 whole = divide(a, m);
            sum += n * (n - 1) / 2 * whole;
            a -= whole * m;
        }
        if (b >= m) {
            sac_uint128 whole = divide(b, m);
            sum += n * whole;
            b -= whole * m;
        }
        sac_uint128 top = a * n + b;
        if (top < m)
            return sum;
        n = divide(top, m);
        b = top - n * m;
        sac_uint128 swap = m;
        m = a;
        a = swap;
    }
}

/* Whether an x <= v lies so close below the next integer that q might reach it: q - 2^24 t < 1, so
 * by less than x. */
static bool is_close(uint32_t q, uint32_t v)
{
    const uint32_t half = UINT32_C(1) << (SAC_SCALE_SHIFT_U8 - 1), mask = 2 * half - 1;
    uint32_t close = 0;
    for (uint32_t x = 1; x <= v; x++)
        close |= ((q * x + half) & mask) < x;
    return close;
}

static uint64_t multiplier(const sac_scale *s, uint32_t v, int shift)
{
    if (s->den == 0 || v == 0)
        return UINT64_C(1) << shift;
    sac_uint128 m = (UINT32_C(1) << s->depth) - 1;
    sac_uint128 top = m * s->num[sac_scale_bin(s, v)], bottom = (sac_uint128)s->den * v;
    uint64_t q = (uint64_t)divide((top << shift) + bottom - 1, bottom);
    if (s->depth == 8 && !is_close((uint32_t)q, v))
        return q;
    sac_uint128 one = (sac_uint128)1 << shift;
    sac_uint128 wanted = floor_sum(v + 1, 2 * bottom, 2 * top, bottom);
    return floor_sum(v + 1, one, q, one / 2) == wanted ? q : q - 1;
}

void sac_scale_multipliers(uint32_t *q8, uint64_t *q16, const sac_scale *s, const uint64_t *occurs)
{
    for (uint32_t v = 0; v < UINT32_C(1) << s->depth; v++) {
        if (occurs && !occurs[v])
            continue;
        if (s->depth == 8)
            q8[v] = (uint32_t)multiplier(s, v, SAC_SCALE_SHIFT_U8);
        else
            q16[v] = multiplier(s, v, SAC_SCALE_SHIFT_U16);
    }
}
