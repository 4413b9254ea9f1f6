/*
 * levels_u32, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "levels_u32.h"

void sac_levels_u32_ref(uint32_t *level, uint32_t *found, uint32_t *counts, const sac_levels *of)
{
    const uint32_t bins = (uint32_t)of->bins;
    uint32_t excess = 0;
    uint64_t sum = 0;
    for (uint32_t b = 0; b < bins; b++) {
        found[b] += counts[b];
        if (counts[b] > of->limit) {
            excess += counts[b] - of->limit;
            counts[b] = of->limit;
        }
    }
    const uint32_t more = excess / bins, rest = excess % bins;
    for (uint32_t b = 0; b < bins; b++) {
        const bool one = rest > 0 && b % (bins / rest) == 0 && b / (bins / rest) < rest;
        counts[b] += one;
        sum += counts[b] + more;
        if (of->sum)
            of->sum[b] = (uint16_t)sum;
        else
            level[b] = (uint32_t)(of->most * sum / of->pixels);
    }
}
