/*
 * variance_f32: the population variance of each of 20 features over the last n frames.
 *
 *     out[f] = sum over k of (x[k][f] - mean[f])^2 / n,  mean[f] = sum over k of x[k][f] / n
 *
 * x[k], k = 0..n-1, is row newest - k of the ring, modulo window. ring (window, 32): 20 features,
 * then 12 zeros; aligned to 64 bytes. 0 <= newest < window, 1 <= n <= 4096 and n <= window.
 * Features are 0 or of magnitudes from 2^-30 to 2^40. out (20), no overlap.
 *
 * The same bytes wherever in the ring the newest row is. Exactly 0 where all n values are equal,
 * else within 1e-5 of the result, however large the mean is against the spread (docs/numerics.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_VARIANCE_F32_H
#define SAC_MELTPOOL_VARIANCE_F32_H

#include <saccade/meltpool.h>

#include "base/host_device.h"
#include "room/variant.h"

enum {
    SAC_MELTPOOL_RING_ROW = 32, /* floats from a row to the next */
    SAC_MELTPOOL_MAX_WINDOW = 4096
};

typedef void sac_variance_f32_function(float *out, const float *ring, int32_t n, int32_t newest,
                                       int32_t window);
typedef sac_variance_f32_function *sac_variance_f32_fn;

sac_variance_f32_function sac_variance_f32_ref, sac_variance_f32_plain, sac_variance_f32_avx2,
    sac_variance_f32_avx512, sac_variance_f32_neon;

SAC_INTERNAL extern const sac_room sac_variance_f32_room;

/* x[k]. */
static inline SAC_HOST_DEVICE const float *sac_meltpool_ring_row(const float *ring, int32_t k,
                                                                 int32_t newest, int32_t window)
{
    const int32_t row = newest - k;
    return ring + (row < 0 ? row + window : row) * SAC_MELTPOOL_RING_ROW;
}

#endif
