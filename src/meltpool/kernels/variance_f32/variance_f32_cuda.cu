/*
 * variance_f32 on a GPU: one pass in double over what rows differ from the one before the
 * newest, by a thread a frame, a thread a feature, or a lane for every eighth row of a feature.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/finish.cuh"
#include "meltpool/kernels/variance_f32/variance_f32_cuda.h"

#define THREADS 128 /* few, so that a thousand frames go to all multiprocessors */
#define MAX_BLOCKS (INT64_C(1) << 30)
#define FEATURES SAC_MELTPOOL_OF_FRAME
#define GROUPS SAC_MELTPOOL_GROUPS
#define LANES (SAC_WARP / GROUPS) /* features of a warp, side by side in memory */

__global__ void __launch_bounds__(THREADS)
    by_frame(float *out, ptrdiff_t row, const __grid_constant__ sac_meltpool_rings_cuda frames)
{
    for (int64_t i = sac_grid_thread(); i < frames.n; i += sac_grid_threads()) {
        const sac_meltpool_rows rows = frames.rows[i];
        for (int32_t f = 0; f < FEATURES; f++)
            out[i * row + f] =
                sac_meltpool_variance(frames.ring, f, rows.n, rows.newest, frames.window);
    }
}

__global__ void __launch_bounds__(THREADS)
    by_feature(float *out, ptrdiff_t row, const __grid_constant__ sac_meltpool_rings_cuda frames)
{
    for (int64_t k = sac_grid_thread(); k < frames.n * FEATURES; k += sac_grid_threads()) {
        const int64_t i = k / FEATURES;
        const int32_t f = (int32_t)(k - i * FEATURES);
        const sac_meltpool_rows rows = frames.rows[i];
        out[i * row + f] =
            sac_meltpool_variance(frames.ring, f, rows.n, rows.newest, frames.window);
    }
}

/* Groups' sums folded in halves as sac_meltpool_fold does it, in every lane. */
__device__ static sac_meltpool_spread fold_lanes(sac_meltpool_spread s)
{
#pragma unroll
    for (int apart = SAC_WARP / 2; apart >= LANES; apart /= 2) {
        s.sum += __shfl_xor_sync(SAC_ALL_LANES, s.sum, apart);
        s.squares += __shfl_xor_sync(SAC_ALL_LANES, s.squares, apart);
    }
    return s;
}

/* A warp has LANES features of a frame; lane / LANES is the group. */
__global__ void __launch_bounds__(THREADS)
    by_group(float *out, ptrdiff_t row, const __grid_constant__ sac_meltpool_rings_cuda frames)
{
    const int32_t lane = (int32_t)threadIdx.x % SAC_WARP;
    for (int64_t k = sac_grid_thread() / SAC_WARP; k < frames.n * (FEATURES / LANES);
         k += sac_grid_threads() / SAC_WARP) {
        const int64_t i = k / (FEATURES / LANES);
        const int32_t f = (int32_t)(k - i * (FEATURES / LANES)) * LANES + lane % LANES;
        const sac_meltpool_rows rows = frames.rows[i];
        const float newest = sac_meltpool_aged(frames.ring, f, 0, rows.newest, frames.window);
        const float origin =
            rows.n > 1 ? sac_meltpool_aged(frames.ring, f, 1, rows.newest, frames.window) : newest;
        const sac_meltpool_spread s =
            sac_meltpool_group(frames.ring, f, lane / LANES, rows.n, rows.newest, frames.window);
        __syncwarp();
        const sac_meltpool_spread older = fold_lanes(s);
        if (lane < LANES)
            out[i * row + f] = sac_meltpool_variance_of(older, newest, origin, rows.n);
    }
}

typedef void (*kernel)(float *out, ptrdiff_t row, sac_meltpool_rings_cuda frames);

static sac_status launch(kernel by, int64_t n_threads, sac_gpu_stream stream, float *out,
                         ptrdiff_t row, const sac_meltpool_rings_cuda *frames)
{
    const int64_t blocks = (n_threads + THREADS - 1) / THREADS;
    if (blocks == 0)
        return SAC_OK;
    by<<<(unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS), THREADS, 0, stream>>>(out, row,
                                                                                      *frames);
    return sac_cuda_launched();
}

static sac_status frames_of(sac_gpu_stream stream, float *out, ptrdiff_t row,
                            const sac_meltpool_rings_cuda *frames)
{
    return launch(by_frame, frames->n, stream, out, row, frames);
}

static sac_status features_of(sac_gpu_stream stream, float *out, ptrdiff_t row,
                              const sac_meltpool_rings_cuda *frames)
{
    return launch(by_feature, frames->n * FEATURES, stream, out, row, frames);
}

static sac_status groups_of(sac_gpu_stream stream, float *out, ptrdiff_t row,
                            const sac_meltpool_rings_cuda *frames)
{
    return launch(by_group, frames->n * FEATURES * GROUPS, stream, out, row, frames);
}

extern "C" const sac_variant sac_variance_f32_cuda[] = {
    {"frames", 0, false, SAC_FN(sac_variance_f32_cuda_fn, frames_of)},
    {"features", 0, true, SAC_FN(sac_variance_f32_cuda_fn, features_of)},
    {"groups", 0, true, SAC_FN(sac_variance_f32_cuda_fn, groups_of), SAC_TIER_EXACT,
     SAC_VARIANCE_F32_FEW},
    {NULL, 0, false, NULL},
};
