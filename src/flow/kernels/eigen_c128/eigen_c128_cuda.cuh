/*
 * What eigen_c128's kernels share: sums over a column by a warp, all of whose lanes have them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EIGEN_C128_CUDA_CUH
#define SAC_EIGEN_C128_CUDA_CUH

#include "gpu/block.cuh"
#include "gpu/launched.h"

__device__ static inline double sac_eigen_over_lanes(double v)
{
    for (int32_t step = SAC_WARP / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(SAC_ALL_LANES, v, step);
    return v;
}

__device__ static inline double sac_eigen_square(const double *a, int32_t n)
{
    double sum = 0;
    for (int32_t i = threadIdx.x % SAC_WARP; i < 2 * n; i += SAC_WARP)
        sum = fma(a[i], a[i], sum);
    return sac_eigen_over_lanes(sum);
}

/* sum of conj(a) b. */
__device__ static inline double2 sac_eigen_dot(const double *a, const double *b, int32_t n)
{
    double re = 0, im = 0;
#pragma unroll 4
    for (int32_t i = threadIdx.x % SAC_WARP; i < n; i += SAC_WARP) {
        re = fma(a[i], b[i], fma(a[n + i], b[n + i], re));
        im = fma(a[i], b[n + i], fma(-a[n + i], b[i], im));
    }
    return make_double2(sac_eigen_over_lanes(re), sac_eigen_over_lanes(im));
}

#endif
