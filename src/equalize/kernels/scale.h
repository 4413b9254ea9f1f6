/*
 * The scaling s of an equalization as kernels take it: as the rational that defines it, and as one
 * fixed-point multiplier for each V that gives the rational's result exactly (docs/numerics.md has
 * the proof).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_SCALE_H
#define SAC_EQUALIZE_SCALE_H

#include "base/error.h"
#include "base/host_device.h"

#define SAC_SCALE_SHIFT_U8 24  /* fraction bits of q8 */
#define SAC_SCALE_SHIFT_U16 40 /* fraction bits of q16 */

typedef struct sac_scale {
    int32_t depth;       /* 8 or 16 bits a sample; M = 2^depth - 1 */
    int32_t bins;        /* 2..65536; bin(V) = floor(V bins / 2^depth) */
    const uint64_t *num; /* (bins): s(b) = num[b] / den, at most 1 */
    uint64_t den;        /* 0: the picture stays as it is */
    const uint32_t *q8;  /* (256), depth 8: R' = (q8[V] R + 2^23) >> 24 */
    const uint64_t *q16; /* (65536), depth 16: R' = (q16[V] R + 2^39) >> 40, or ceilings: below */
    const uint32_t *q32; /* (65536), depth 16: sac_scale_short of q16 */
} sac_scale;

__extension__ typedef unsigned __int128 sac_uint128;

SAC_HOST_DEVICE static inline int32_t sac_scale_bin(const sac_scale *s, uint32_t v)
{
    return (int32_t)((uint64_t)v * (uint64_t)s->bins >> s->depth);
}

/* floor(M s(bin(v)) x / v + 1/2) in integers, for x <= v: what every variant must give. */
SAC_HOST_DEVICE static inline uint32_t sac_scale_exact(const sac_scale *s, uint32_t v, uint32_t x)
{
    if (s->den == 0 || v == 0)
        return x;
    sac_uint128 m = (UINT32_C(1) << s->depth) - 1;
    sac_uint128 vd = (sac_uint128)v * s->den;
    return (uint32_t)((2 * m * s->num[sac_scale_bin(s, v)] * x + vd) / (2 * vd));
}

/*
 * The same where q16[V] may also be the ceiling of 2^40 M s(bin(V)) / V: too large by less than
 * 2^-40, it can reach the next integer too early only where the fraction left is below x.
 */
static inline uint16_t sac_scale_u16(const sac_scale *s, uint32_t v, uint16_t x)
{
    const uint64_t one = UINT64_C(1) << SAC_SCALE_SHIFT_U16, sum = s->q16[v] * x + one / 2;
    if ((sum & (one - 1)) < x)
        return (uint16_t)sac_scale_exact(s, v, x);
    return (uint16_t)(sum >> SAC_SCALE_SHIFT_U16);
}

/*
 * A multiplier cut to 32 bits, those that count: q16 / 2^40 < 2^16 / V, so 31 - z of them are
 * fraction, with z the leading zeros of V in 16 bits.
 */
static inline uint32_t sac_scale_short(uint64_t q16, uint32_t v)
{
    const int zeros = __builtin_clz(v | 1) - 16;
    return (uint32_t)(q16 >> (SAC_SCALE_SHIFT_U16 - 31 + zeros));
}

/*
 * Fills the multipliers from num and den: q8 (256) or q16 (65536), the one of the scale's depth.
 * Entries whose occurs[V] is 0 are left alone (occurs: (2^depth), how often V is in the picture;
 * NULL: all occur).
 */
SAC_INTERNAL void sac_scale_multipliers(uint32_t *q8, uint64_t *q16, const sac_scale *s,
                                        const uint64_t *occurs);

/* Ceilings instead of q16's multipliers, which take about fifty times as long; and q32 of them. */
SAC_INTERNAL void sac_scale_ceilings(uint64_t *q16, uint32_t *q32, const sac_scale *s,
                                     const uint64_t *occurs);

#endif
