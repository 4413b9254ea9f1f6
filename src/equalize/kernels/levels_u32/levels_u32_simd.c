/*
 * levels_u32 with vectors. A level is the integer nearest to slope sum + base, slope = most /
 * pixels, base = 1 / (2 pixels) - 1/2, of at most 2^18 pixels: floor(x) is nearest to x - 1/2 where
 * x is no integer, and half of 1 / pixels keeps x from integers by 2^-19 or more; slope and sum
 * are rounded once, by less than 2^-20 in all. Larger tiles are plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "levels_u32.h"
#include "simd/levels.h"

#define PRODUCT_PIXELS (1 << 18)

/* Adds counts to found, and returns what of them is over the limit. */
SIMD_INLINE uint32_t cut(uint32_t *found, uint32_t *counts, const sac_levels *of)
{
    vc kept = vc_set(0);
    uint32_t lane[VC], sum = 0;
    for (int32_t b = 0; b < of->bins; b += VC) {
        const vc all = vc_load(counts + b), few = vc_min(all, vc_set(of->limit));
        vc_store(found + b, vc_add(vc_load(found + b), all));
        vc_store(counts + b, few);
        kept = vc_add(kept, few);
    }
    vc_store(lane, kept);
    for (int k = 0; k < VC; k++)
        sum += lane[k];
    return of->pixels - sum;
}

void sac_levels_u32_simd(uint32_t *level, uint32_t *found, uint32_t *counts, const sac_levels *of)
{
    if (of->bins % VC || of->pixels > PRODUCT_PIXELS) {
        SIMD_OTHERWISE(levels_u32)(level, found, counts, of);
        return;
    }
    const uint32_t excess = cut(found, counts, of);
    const vc more = vc_set(sac_levels_give_back(counts, (uint32_t)of->bins, excess));
    const double slope = (double)of->most / of->pixels, base = 0.5 / of->pixels - 0.5;
    vc before = vc_set(0);
    for (int32_t b = 0; b < of->bins; b += VC) {
        const vc sums = vc_sums(vc_add(vc_load(counts + b), more)), all = vc_add(before, sums);
        if (of->sum)
            vc_store_words(of->sum + b, all);
        else
            vc_store_line(level + b, all, slope, base);
        before = vc_add(before, vc_last(sums));
    }
}
