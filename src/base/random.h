/*
 * Random numbers by their place in a sequence, so that threads may draw them in any order.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_RANDOM_H
#define SAC_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

/* The index-th number of a seed's sequence: the finalizer of SplitMix64 (Steele, Lea, Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014), once for the seed, once for the index.
 */
static inline uint64_t sac_random(uint64_t seed, uint64_t index)
{
    uint64_t x = seed;
    for (int i = 0; i < 2; i++) {
        x += UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        x = (x ^ x >> 31) + (i == 0 ? index * UINT64_C(0x9e3779b97f4a7c15) : 0);
    }
    return x;
}

/* In (0, 1). */
static inline double sac_random_uniform(uint64_t seed, uint64_t index)
{
    return ((double)(sac_random(seed, index) >> 11) + 0.5) * 0x1p-53;
}

/* Mean 0, variance 1 (Box and Muller); takes numbers 2 index and 2 index + 1. */
static inline double sac_random_normal(uint64_t seed, uint64_t index)
{
    const double turn = 6.28318530717958647692;
    double radius = sqrt(-2 * log(sac_random_uniform(seed, 2 * index)));
    return radius * cos(turn * sac_random_uniform(seed, 2 * index + 1));
}

#endif
