/*
 * Multipliers that evaluate floor(t x + 1/2), t = M s(bin(V)) / V, exactly for every x <= V: the
 * arithmetic for scale.c and for the GPU.
 *
 * q = ceil(2^k t) is never too small. It is too large only if some x reaches the next integer too
 * early, which is possible only if q x + 1/2 is slightly above an integer. In 8 bits each x is
 * tested. In 16 bits that takes too long: there the sums of both staircases over all x are
 * compared, by a lattice point count (Graham, Knuth and Patashnik, "Concrete Mathematics", 3.5) in
 * O(log V) steps. If q is too large, q - 1 is right: see docs/numerics.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_SCALE_INLINE_H
#define SAC_EQUALIZE_SCALE_INLINE_H

#include "base/host_device.h"
#include "equalize/kernels/scale.h"

/* One 64-bit division where that is enough. */
SAC_HOST_DEVICE static inline sac_uint128 sac_scale_divide(sac_uint128 a, sac_uint128 b)
{
    if (!(a >> 64) && !(b >> 64))
        return (uint64_t)a / (uint64_t)b;
    return a / b;
}

/* The sum over i = 0..n-1 of floor((a i + b) / m), modulo 2^128. */
SAC_HOST_DEVICE static inline sac_uint128 sac_scale_floor_sum(sac_uint128 n, sac_uint128 m,
                                                              sac_uint128 a, sac_uint128 b)
{
    sac_uint128 sum = 0;
    for (;;) {
        if (a >= m) {
            sac_uint128 whole = sac_scale_divide(a, m);
            sum += n * (n - 1) / 2 * whole;
            a -= whole * m;
        }
        if (b >= m) {
            sac_uint128 whole = sac_scale_divide(b, m);
            sum += n * whole;
            b -= whole * m;
        }
        sac_uint128 top = a * n + b;
        if (top < m)
            return sum;
        n = sac_scale_divide(top, m);
        b = top - n * m;
        sac_uint128 swap = m;
        m = a;
        a = swap;
    }
}

/*
 * Whether q x + 1/2, q of depth 8, comes close above an integer: q - 2^24 t < 1, so by less than x.
 * `fraction` is its 24 bits of fraction, on top of the register.
 */
SAC_HOST_DEVICE static inline uint32_t sac_scale_fraction(uint32_t q, uint32_t x)
{
    return (q * x << (32 - SAC_SCALE_SHIFT_U8)) + (UINT32_C(1) << 31);
}

SAC_HOST_DEVICE static inline bool sac_scale_is_close(uint32_t fraction, uint32_t x)
{
    return fraction < x << (32 - SAC_SCALE_SHIFT_U8);
}

/* M s(bin(v)) over v as a fraction: top / bottom. */
typedef struct sac_scale_ratio {
    sac_uint128 top, bottom;
} sac_scale_ratio;

SAC_HOST_DEVICE static inline sac_scale_ratio sac_scale_ratio_of(uint64_t num, uint64_t den,
                                                                 uint32_t v, int32_t depth)
{
    sac_uint128 m = (UINT32_C(1) << depth) - 1;
    sac_scale_ratio r = {m * num, (sac_uint128)den * v};
    return r;
}

/* q = ceil(2^shift t). */
SAC_HOST_DEVICE static inline uint64_t sac_scale_ceiling(sac_scale_ratio t, int shift)
{
    return (uint64_t)sac_scale_divide((t.top << shift) + t.bottom - 1, t.bottom);
}

/* Whether q takes x to an integer that t x + 1/2 does not reach. Only a close x can say yes. */
SAC_HOST_DEVICE static inline bool sac_scale_overshoots(uint64_t q, sac_scale_ratio t, uint32_t x,
                                                        int shift)
{
    uint64_t reached = (q * x + (UINT64_C(1) << (shift - 1))) >> shift;
    return 2 * t.top * x + t.bottom < 2 * t.bottom * reached;
}

/* q, or q - 1 where q is too large for an x <= v. */
SAC_HOST_DEVICE static inline uint64_t sac_scale_correct(uint64_t q, sac_scale_ratio t, uint32_t v,
                                                         int shift)
{
    sac_uint128 one = (sac_uint128)1 << shift;
    sac_uint128 wanted = sac_scale_floor_sum(v + 1, 2 * t.bottom, 2 * t.top, t.bottom);
    return sac_scale_floor_sum(v + 1, one, q, one / 2) == wanted ? q : q - 1;
}

#endif
