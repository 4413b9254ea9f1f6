/*
 * What kernels of any launch shape need: linear numbers of threads, scans, a barrier of the grid.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_BLOCK_CUH
#define SAC_GPU_BLOCK_CUH

#include "gpu/ptx.cuh"

#define SAC_WARP 32
#define SAC_ALL_LANES 0xffffffffu

/* Grids and blocks of one to three axes, in linear order, x fastest. */
__device__ inline uint32_t sac_thread()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ inline uint32_t sac_block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

__device__ inline int64_t sac_block()
{
    return ((int64_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

__device__ inline int64_t sac_blocks()
{
    return (int64_t)gridDim.x * gridDim.y * gridDim.z;
}

__device__ inline int64_t sac_grid_thread()
{
    return sac_block() * sac_block_threads() + sac_thread();
}

__device__ inline int64_t sac_grid_threads()
{
    return sac_blocks() * sac_block_threads();
}

/* The sum over this lane and those below it. All 32 lanes call. */
__device__ inline uint64_t sac_warp_scan(uint64_t value)
{
    const uint32_t lane = sac_thread() % SAC_WARP;
    for (uint32_t step = 1; step < SAC_WARP; step *= 2) {
        const uint64_t below = __shfl_up_sync(SAC_ALL_LANES, value, step);
        value += lane >= step ? below : 0;
    }
    return value;
}

/*
 * The sum over this thread and those below it, and the block's *total. Whole warps, at most 1024
 * threads; all call. `sums` (33) is shared memory, free again when the next barrier is passed.
 */
__device__ inline uint64_t sac_block_scan(uint64_t *total, uint64_t value, uint64_t *sums)
{
    const uint32_t lane = sac_thread() % SAC_WARP, warp = sac_thread() / SAC_WARP;
    value = sac_warp_scan(value);
    if (lane == SAC_WARP - 1)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        const bool used = lane < sac_block_threads() / SAC_WARP;
        const uint64_t sum = sac_warp_scan(used ? sums[lane] : 0);
        sums[lane] = sum;
        if (lane == SAC_WARP - 1)
            sums[SAC_WARP] = sum;
    }
    __syncthreads();
    *total = sums[SAC_WARP];
    return value + (warp > 0 ? sums[warp - 1] : 0);
}

/* The sum over a warp. */
__device__ inline uint32_t sac_warp_sum(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(SAC_ALL_LANES, value);
#else
    for (uint32_t step = SAC_WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(SAC_ALL_LANES, value, step);
    return value;
#endif
}

/* The least of a warp. */
__device__ inline uint32_t sac_warp_min(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(SAC_ALL_LANES, value);
#else
    for (uint32_t step = SAC_WARP / 2; step > 0; step /= 2)
        value = min(value, __shfl_xor_sync(SAC_ALL_LANES, value, step));
    return value;
#endif
}

/*
 * Waits for every block of the grid, all of which must be resident (a cooperative launch).
 * `arrived` counts up to the number of blocks; who resets it must know that all have passed.
 */
__device__ inline void sac_grid_barrier(uint32_t *arrived)
{
    __syncthreads();
    if (sac_thread() == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (sac_load_acquire(arrived) < (uint32_t)sac_blocks())
            ;
    }
    __syncthreads();
}

#endif
