/*
 * levels_u32: a tile's levels for CLAHE, from the histogram of its V. With C the counts:
 *
 *     found[b] += C(b)
 *     C'(b) = min(C(b), limit); what is cut off is given back: the same to each bin, and the rest
 *             one by one to bins spread evenly from the first on, as OpenCV does
 *     sum[b] = C'(0) + ... + C'(b)
 *     level[b] = floor(most sum[b] / pixels)
 *
 * Either sums or levels are stored. counts, found, level, sum: (bins), no overlap, but level may be
 * counts. Otherwise counts become C', but for what each bin is given alike. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_LEVELS_U32_H
#define SAC_EQUALIZE_LEVELS_U32_H

#include "room/variant.h"

typedef struct sac_levels {
    int32_t bins;    /* 2..65536 */
    uint32_t limit;  /* 1 or more; from `pixels` on nothing is cut */
    uint64_t most;   /* M with the fraction bits of a level: 2^32 at most */
    uint32_t pixels; /* the sum of counts, below 2^32 */
    uint16_t *sum;   /* NULL: levels are stored; otherwise pixels are below 2^16 */
} sac_levels;

typedef void sac_levels_function(uint32_t *level, uint32_t *found, uint32_t *counts,
                                 const sac_levels *of);
typedef sac_levels_function *sac_levels_fn;

sac_levels_function sac_levels_u32_ref, sac_levels_u32_plain, sac_levels_u32_auto_v3,
    sac_levels_u32_auto_v4, sac_levels_u32_avx2, sac_levels_u32_avx512, sac_levels_u32_neon;

SAC_INTERNAL extern const sac_room sac_levels_u32_room;

/*
 * Gives back `excess`, which is what was cut: here the rest of a division by bins, one by one; the
 * same to each bin is what is returned.
 */
static inline uint32_t sac_levels_give_back(uint32_t *counts, uint32_t bins, uint32_t excess)
{
    const uint32_t rest = excess % bins, step = rest ? bins / rest : 1;
    for (uint32_t i = 0; i < rest; i++)
        counts[i * step]++;
    return excess / bins;
}

#endif
