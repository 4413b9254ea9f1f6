/*
 * From counts to multipliers on the device: what src/equalize/scale.c does between the two passes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_SCALE_CUH
#define SAC_EQUALIZE_SCALE_CUH

#include <saccade/equalize.h>

#include "gpu/block.cuh"
#include "equalize/kernels/picture_cuda.h"
#include "equalize/kernels/scale_inline.h"

/* What a scaling subtracts from the cumulative counts, and den: 0 if the picture stays as it is. */
typedef struct sac_scaling {
    uint64_t base, den;
} sac_scaling;

/* first: the first bin's count that is not 0; zero: bin 0's. */
__device__ inline sac_scaling sac_scaling_of(const sac_equalize_cuda &t, uint64_t n_pixels,
                                             uint64_t first, uint64_t zero)
{
    sac_scaling s;
    s.base = t.scale == SAC_SCALE_FIRST ? first : t.scale == SAC_SCALE_MINMAX ? zero : 0;
    s.den = first == n_pixels && t.scale != SAC_SCALE_MAX ? 0 : n_pixels - s.base;
    return s;
}

/* s = 1 where `smooth` carries s from frame to frame. */
#define SAC_SMOOTH_ONE (UINT64_C(1) << 32)

/* den of the multipliers. */
__device__ inline uint64_t sac_scaling_den(const sac_equalize_cuda &t, sac_scaling s)
{
    return t.smooth ? SAC_SMOOTH_ONE : s.den;
}

/* num of bin b, whose cumulative count is c; `before` is num of the frame before. */
__device__ inline uint64_t sac_scaling_num(const sac_equalize_cuda &t, sac_scaling s, int32_t b,
                                           uint64_t c, uint64_t before)
{
    const uint64_t num = c > s.base ? c - s.base : 0;
    if (!t.smooth)
        return num;
    const uint64_t now = s.den
                             ? (uint64_t)sac_scale_divide((sac_uint128)num * SAC_SMOOTH_ONE, s.den)
                             : (uint64_t)b * SAC_SMOOTH_ONE / (uint64_t)(t.bins - 1);
    return (uint64_t)((int64_t)before + ((int64_t)now - (int64_t)before) * t.follow / 65536);
}

#endif
