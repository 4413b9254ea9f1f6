/*
 * Shared by the CUDA rungs of vhist_u8 and vhist_u16.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VHIST_CUH
#define SAC_EQUALIZE_VHIST_CUH

#include "gpu/launch.cuh"
#include "image/pixels.cuh"
#include "equalize/kernels/depths_cuda.h"

template <typename T> __device__ inline uint32_t sac_value_at(const sac_pixels &in, int64_t i)
{
    int64_t x, y;
    sac_place(&x, &y, in, i);
    return sac_value<T>(in, x, y);
}

/* One counter a value for the whole grid, in the L2 cache. */
template <typename T>
__global__ void sac_vhist_global(uint32_t *hist, const __grid_constant__ sac_pixels in)
{
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    for (int64_t i = sac_grid_thread(); i < n; i += step)
        atomicAdd(&hist[sac_value_at<T>(in, i)], 1u);
}

typedef void (*sac_vhist_kernel)(uint32_t *hist, const sac_pixels in);

static inline sac_status sac_vhist_launch(sac_vhist_kernel kernel, sac_gpu_stream stream,
                                          const sac_gpu_shape *shape, uint32_t *hist,
                                          const sac_pixels *in, size_t n_values, size_t shared)
{
    const sac_launch l = sac_launch_of(shape, in->w * in->h);
    if (cudaMemsetAsync(hist, 0, n_values * sizeof *hist, stream) != cudaSuccess)
        return sac_cuda_launched();
    kernel<<<l.grid, l.block, shared, stream>>>(hist, *in);
    return sac_cuda_launched();
}

#endif
