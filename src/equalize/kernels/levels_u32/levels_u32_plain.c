/*
 * levels_u32 in plain C. Levels of up to 2^18 pixels by products: most sum + 1/2 is a double, its
 * quotient is 2^-19 or more from the next integer, and the roundings take less than 2^-20.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "levels_u32.h"

#define PRODUCT_PIXELS (1 << 18)

/* Returns what was cut. */
static uint32_t cut(uint32_t *restrict found, uint32_t *restrict counts, const sac_levels *of)
{
    const uint32_t limit = of->limit;
    uint32_t excess = 0;
    for (int32_t b = 0; b < of->bins; b++) {
        const uint32_t kept = counts[b] < limit ? counts[b] : limit;
        found[b] += counts[b];
        excess += counts[b] - kept;
        counts[b] = kept;
    }
    return excess;
}

void sac_levels_u32_plain(uint32_t *level, uint32_t *found, uint32_t *counts, const sac_levels *of)
{
    const uint32_t excess = cut(found, counts, of);
    const uint32_t more = sac_levels_give_back(counts, (uint32_t)of->bins, excess);
    const double factor = (double)of->most, inverse = 1 / (double)of->pixels;
    int64_t sum = 0;
    if (of->sum)
        for (int32_t b = 0; b < of->bins; b++)
            of->sum[b] = (uint16_t)(sum += counts[b] + more);
    else if (of->pixels <= PRODUCT_PIXELS)
        for (int32_t b = 0; b < of->bins; b++) {
            sum += counts[b] + more;
            level[b] = (uint32_t)(int64_t)(((double)sum * factor + 0.5) * inverse);
        }
    else
        for (int32_t b = 0; b < of->bins; b++) {
            sum += counts[b] + more;
            level[b] = (uint32_t)(of->most * (uint64_t)sum / of->pixels);
        }
}
