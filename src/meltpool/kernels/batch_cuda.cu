/*
 * Between the rooms' kernels: a thread a frame for features, a block a frame for its brightest
 * pixel.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "meltpool/kernels/batch_cuda.h"
#include "meltpool/kernels/frame_u8/features.h"

/* A thread works long, and 4096 frames are few: they go to all multiprocessors. */
#define FEATURE_THREADS 32u
#define SEARCH_THREADS 256
#define OF_FRAME SAC_MELTPOOL_OF_FRAME
#define MAX_BLOCKS (INT64_C(1) << 30)

__global__ void __launch_bounds__(FEATURE_THREADS)
    write_features(const __grid_constant__ sac_meltpool_results_cuda out, float *ring,
                   const sac_meltpool_integers *in, const sac_meltpool_rows *rows, int64_t n)
{
    for (int64_t k = sac_grid_thread(); k < n; k += sac_grid_threads()) {
        __align__(16) float features[OF_FRAME];
        const sac_meltpool_integers of = in[k];
        float4 *record = (float4 *)(out.features + k * SAC_MELTPOOL_FEATURES);
        float4 *row = (float4 *)(ring + (int64_t)rows[k].newest * SAC_MELTPOOL_RING_ROW);
        sac_meltpool_features(features, &of);
#pragma unroll
        for (int i = 0; i < OF_FRAME / 4; i++) {
            const float4 four = ((const float4 *)features)[i];
            record[i] = four;
            row[i] = four;
        }
        out.flags[k] = of.flags;
    }
}

/* Of a thread's pixels, the first that are brightest: where, below 255 less the value. */
__device__ static uint32_t look(const sac_meltpool_search_cuda &frames, const uint8_t *frame)
{
    const uint32_t w = (uint32_t)frames.w, n = w * (uint32_t)frames.h;
    uint32_t x = threadIdx.x % w, y = threadIdx.x / w, first = UINT32_MAX;
    const uint32_t step_x = SEARCH_THREADS % w, step_y = SEARCH_THREADS / w;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < n; i += SEARCH_THREADS) {
        const uint32_t value = __ldg(frame + (ptrdiff_t)y * frames.row + x);
        first = min(first, (255 - value) << 24 | i);
        x += step_x;
        y += step_y + (x >= w);
        x -= x >= w ? w : 0;
    }
    __syncwarp();
    return first;
}

__global__ void __launch_bounds__(SEARCH_THREADS)
    search(uint32_t *out, const __grid_constant__ sac_meltpool_search_cuda frames)
{
    __shared__ uint32_t firsts[SEARCH_THREADS / SAC_WARP];
    const uint32_t lane = threadIdx.x % SAC_WARP;
    uint32_t first = sac_warp_min(look(frames, frames.pixels + blockIdx.x * frames.frame));
    if (lane == 0)
        firsts[threadIdx.x / SAC_WARP] = first;
    __syncthreads();
    if (threadIdx.x >= SAC_WARP)
        return;
    first = sac_warp_min(lane < SEARCH_THREADS / SAC_WARP ? firsts[lane] : UINT32_MAX);
    if (lane == 0)
        out[blockIdx.x] = first & 0xffffff;
}

extern "C" sac_status sac_meltpool_features_cuda(sac_gpu_stream stream,
                                                 const sac_meltpool_results_cuda *out, float *ring,
                                                 const sac_meltpool_integers *in,
                                                 const sac_meltpool_rows *rows, int64_t n)
{
    const int64_t blocks = (n + FEATURE_THREADS - 1) / FEATURE_THREADS;
    if (n == 0)
        return SAC_OK;
    write_features<<<(unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS), FEATURE_THREADS, 0,
                     stream>>>(*out, ring, in, rows, n);
    return sac_cuda_launched();
}

extern "C" sac_status sac_meltpool_brightest_cuda(sac_gpu_stream stream, uint32_t *out,
                                                  const sac_meltpool_search_cuda *frames)
{
    if (frames->n == 0)
        return SAC_OK;
    search<<<(unsigned)frames->n, SEARCH_THREADS, 0, stream>>>(out, *frames);
    return sac_cuda_launched();
}
