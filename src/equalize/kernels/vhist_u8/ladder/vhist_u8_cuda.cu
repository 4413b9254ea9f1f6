/*
 * vhist_u8 on a GPU: who shares a counter with whom. Collisions decide, so the rungs differ most on
 * constant pictures. NOTES.md has the figures.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/vhist.cuh"

#define VALUES 256
#define ILP 8 /* pixels that a thread has in flight */

__device__ static void clear(uint32_t *counts, uint32_t n)
{
    for (uint32_t i = sac_thread(); i < n; i += sac_block_threads())
        counts[i] = 0;
    __syncthreads();
}

/* Adds `tables` contiguous tables of 256 counts to the grid's counts. */
__device__ static void total(uint32_t *hist, const uint32_t *counts, uint32_t tables)
{
    __syncthreads();
    for (uint32_t v = sac_thread(); v < VALUES; v += sac_block_threads()) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < tables; k++)
            sum += counts[k * VALUES + v];
        if (sum > 0)
            atomicAdd(&hist[v], sum);
    }
}

/* A table a block. */
__global__ void shared_atomics(uint32_t *hist, const __grid_constant__ sac_pixels in)
{
    __shared__ uint32_t counts[VALUES];
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    clear(counts, VALUES);
    for (int64_t i = sac_grid_thread(); i < n; i += step)
        atomicAdd(&counts[sac_value_at<uint8_t>(in, i)], 1u);
    total(hist, counts, 1);
}

/* A table a warp. */
__global__ void per_warp(uint32_t *hist, const __grid_constant__ sac_pixels in)
{
    extern __shared__ uint32_t counts[];
    const uint32_t n_warps = (sac_block_threads() + SAC_WARP - 1) / SAC_WARP;
    uint32_t *own = counts + sac_thread() / SAC_WARP * VALUES;
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    clear(counts, n_warps * VALUES);
    for (int64_t i = sac_grid_thread(); i < n; i += step)
        atomicAdd(&own[sac_value_at<uint8_t>(in, i)], 1u);
    total(hist, counts, n_warps);
}

/* A table a block, and all of a thread's pixels on their way before the first is counted. */
__global__ void ilp(uint32_t *hist, const __grid_constant__ sac_pixels in)
{
    __shared__ uint32_t counts[VALUES];
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    clear(counts, VALUES);
    for (int64_t i = sac_grid_thread(); i < n; i += ILP * step) {
        uint32_t v[ILP];
#pragma unroll
        for (int k = 0; k < ILP; k++)
            v[k] = i + k * step < n ? sac_value_at<uint8_t>(in, i + k * step) : VALUES;
#pragma unroll
        for (int k = 0; k < ILP; k++)
            if (v[k] < VALUES)
                atomicAdd(&counts[v[k]], 1u);
    }
    total(hist, counts, 1);
}

/* A table a lane, shared by the block's warps: lane k has bank k, so no lane ever waits for
 * another. As the fused equalization counts, but pixel by pixel. */
__global__ void per_lane(uint32_t *hist, const __grid_constant__ sac_pixels in)
{
    __shared__ uint32_t counts[VALUES * SAC_WARP];
    uint32_t *own = counts + sac_thread() % SAC_WARP;
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    clear(counts, VALUES * SAC_WARP);
    for (int64_t i = sac_grid_thread(); i < n; i += step)
        atomicAdd(&own[SAC_WARP * sac_value_at<uint8_t>(in, i)], 1u);
    __syncthreads();
    for (uint32_t v = sac_thread(); v < VALUES; v += sac_block_threads()) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < SAC_WARP; k++)
            sum += counts[v * SAC_WARP + (k + v) % SAC_WARP];
        if (sum > 0)
            atomicAdd(&hist[v], sum);
    }
}

template <sac_vhist_kernel KERNEL>
static sac_status launch(sac_gpu_stream stream, const sac_gpu_shape *shape, uint32_t *hist,
                         const sac_pixels *in)
{
    return sac_vhist_launch(KERNEL, stream, shape, hist, in, VALUES, 0);
}

static sac_status launch_per_warp(sac_gpu_stream stream, const sac_gpu_shape *shape, uint32_t *hist,
                                  const sac_pixels *in)
{
    const sac_launch l = sac_launch_of(shape, in->w * in->h);
    const size_t threads = (size_t)l.block.x * l.block.y * l.block.z;
    return sac_vhist_launch(per_warp, stream, shape, hist, in, VALUES,
                            (threads + SAC_WARP - 1) / SAC_WARP * VALUES * sizeof *hist);
}

extern "C" const sac_variant sac_vhist_u8_cuda[] = {
    {"global", 0, false, SAC_FN(sac_vhist_cuda_fn, launch<sac_vhist_global<uint8_t>>)},
    {"shared", 0, false, SAC_FN(sac_vhist_cuda_fn, launch<shared_atomics>)},
    {"per-warp", 0, false, SAC_FN(sac_vhist_cuda_fn, launch_per_warp)},
    {"ilp", 0, false, SAC_FN(sac_vhist_cuda_fn, launch<ilp>)},
    {"per-lane", 0, false, SAC_FN(sac_vhist_cuda_fn, launch<per_lane>)},
    {NULL, 0, false, NULL},
};
