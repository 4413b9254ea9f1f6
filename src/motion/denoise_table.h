/*
 * The arithmetic of noise and of temporal_u8's table, one source for CPU and GPU: no product is
 * followed by a sum, which a compiler might fuse.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_DENOISE_TABLE_H
#define SAC_MOTION_DENOISE_TABLE_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define SAC_BOTH __host__ __device__ static inline
#else
#define SAC_BOTH static inline
#endif

#define SAC_NOISE_ROWS 64            /* looked at, spread over the picture */
#define SAC_NOISE_BINS (8 * 255 + 1) /* of |L|, the mask being 1 -2 1, -2 4 -2, 1 -2 1 */
#define SAC_NOISE_MEDIAN 0.67448975  /* of |Gaussian noise|, in standard deviations */

SAC_BOTH int32_t sac_noise_rows(int64_t h)
{
    const int64_t inner = h - 2;
    return (int32_t)(inner < SAC_NOISE_ROWS ? inner : SAC_NOISE_ROWS);
}

/* The i-th row of n_rows. */
SAC_BOTH int64_t sac_noise_row(int32_t i, int32_t n_rows, int64_t h)
{
    return 1 + (2 * (int64_t)i + 1) * (h - 2) / (2 * n_rows);
}

/* The standard deviation of noise by the counts of |L|. */
SAC_BOTH double sac_noise_of(const uint32_t *hist)
{
    uint64_t n = 0, below = 0;
    for (int i = 0; i < SAC_NOISE_BINS; i++)
        n += hist[i];
    if (n == 0 || 2 * (uint64_t)hist[0] >= n)
        return 0;
    /* |L| = v stands for v - 1/2 to v + 1/2; the median lies within, by its share of the bin. */
    int v = 0;
    while (2 * (below + hist[v]) < n)
        below += hist[v++];
    const double share = ((double)n / 2 - (double)below) / hist[v];
    return (v - 0.5 + share) / (6 * SAC_NOISE_MEDIAN);
}

/* temporal_u8's keep of a difference of i levels. */
SAC_BOTH uint16_t sac_keep_of(int i, double strength, double noise)
{
    const double by = noise > 0 ? 2 - i / (3 * noise) : 0;
    return (uint16_t)rint(65535 * strength * fmin(fmax(by, 0.0), 1.0));
}

#endif
