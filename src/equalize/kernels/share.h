/*
 * Shares of samples, for vectors: t x rounded half up, for x <= V and t = q / 2^(31 - z), q below
 * 2^32 and z the leading zeros of V in 16 bits. So x 2^z fills 16 bits, and q what is left of 48.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_SHARE_H
#define SAC_EQUALIZE_SHARE_H

#include "simd/words.h"

/*
 * Given x 2^z, and q off by 1 at most, or 2 where `slack` is 1. With h the upper 16 of the
 * product's 48 bits, t x is 2 h + a / 2^14, where a is off by less than 1: half of what is cut off
 * and rounded up, and less than half of what q is off by (docs/numerics.md). So only where a + 2^13
 * is 0 modulo 2^14 may t x lie below the tie that a has reached. Then *least, the least so far of 4
 * (a + 2^13) modulo 2^16, becomes 0, and x has to be looked at again. With `slack`, a is off by
 * less than 3/2, and may be one beside the tie, too: with 4 more, those become 0 to 8.
 */
SIMD_INLINE v16 sac_share(v16 *least, v16x2 q, v16 x, int slack)
{
    const v16 h = v16_mulhi(q.hi, x), a = v16_avg(v16_mul(q.hi, x), v16_mulhi(q.lo, x));
    *least = v16_min(*least, v16_add(v16_shl(a, 2), v16_set((uint16_t)(0x8000 + 4 * slack))));
    return v16_add(v16_add(h, h), v16_avg(v16_shr(a, 13), v16_set(0)));
}

/* 0 in those lanes that have to be looked at again. */
SIMD_INLINE v16 sac_share_doubts(v16 least, int slack)
{
    return slack ? v16_shr(least, 4) : least;
}

#endif
