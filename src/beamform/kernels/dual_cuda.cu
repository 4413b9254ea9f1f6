/*
 * The second of two stages: a thread has a column across and some depths, of a block of points
 * along the lines. Rows that neighbours along the lines have in common it reads once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "beamform/kernels/das/cuda/das_cuda.cuh"
#include "beamform/kernels/dual_cuda.h"

#define ALONG SAC_DUAL_CUDA_ALONG
#define DEPTHS 2 /* of a thread */
#define WARPS 4
#define THREADS (WARPS * SAC_WARP)
#define WAVES 16 /* whose taps are in shared memory at a time */
#define TAPS 4

/* What a block's threads share. */
typedef struct shared_taps {
    float4 w[WAVES][ALONG], a[WAVES][ALONG]; /* a: re, im, rows */
    sac_dual_cuda_start start[WAVES];
} shared_taps;

/* Rows that the points at work take, and the next one on its way. */
typedef struct window {
    float2 row[TAPS + 1][DEPTHS];
    const float2 *next[DEPTHS];
} window;

__device__ static inline void load_taps(shared_taps *to, const sac_dual_cuda *job, int32_t first,
                                        int32_t n)
{
    const int64_t at = (int64_t)blockIdx.y * job->n_tx + first;
    const float4 *from = (const float4 *)(job->taps + at * ALONG);
    for (int32_t i = (int32_t)threadIdx.x; i < 2 * ALONG * n; i += THREADS) {
        float4 *row = i % 2 ? to->a[i / 2 / ALONG] : to->w[i / 2 / ALONG];
        row[i / 2 % ALONG] = __ldg(from + i);
    }
    for (int32_t i = (int32_t)threadIdx.x; i < n; i += THREADS)
        to->start[i] = job->starts[at + i];
}

__device__ static inline void step(window *v, int64_t row)
{
#pragma unroll
    for (int d = 0; d < DEPTHS; d++) {
#pragma unroll
        for (int k = 0; k < TAPS; k++)
            v->row[k][d] = v->row[k + 1][d];
        v->row[TAPS][d] = __ldg(v->next[d]);
        v->next[d] += row;
    }
}

/* The wave's part at all points of the block. */
__device__ static inline void add_wave(float2 sum[ALONG][DEPTHS], window *v, int64_t row,
                                       const float4 *w, const float4 *a)
{
#pragma unroll
    for (int i = 0; i < ALONG; i++) {
        const float4 c = w[i], turn = a[i];
#pragma unroll 1
        for (int32_t rows = __float_as_int(turn.z); rows > 0; rows--)
            step(v, row);
#pragma unroll
        for (int d = 0; d < DEPTHS; d++) {
            float2 x = make_float2(c.x * v->row[0][d].x, c.x * v->row[0][d].y);
            x = make_float2(fmaf(c.y, v->row[1][d].x, x.x), fmaf(c.y, v->row[1][d].y, x.y));
            x = make_float2(fmaf(c.z, v->row[2][d].x, x.x), fmaf(c.z, v->row[2][d].y, x.y));
            x = make_float2(fmaf(c.w, v->row[3][d].x, x.x), fmaf(c.w, v->row[3][d].y, x.y));
            sum[i][d] = sac_add(sum[i][d], turn.x, turn.y, x);
        }
    }
}

__device__ static inline void put(float2 *out, const float2 sum[ALONG][DEPTHS], int64_t x,
                                  int64_t z, const sac_dual_cuda *job, bool adds)
{
    const sac_dual_cuda_block block = job->blocks[blockIdx.y];
#pragma unroll
    for (int d = 0; d < DEPTHS; d++) {
        float2 turn;
        const double turns = job->turn_first + (double)(z + d) * job->turn_step;
        sac_das_rotation(&turn.x, &turn.y, (float)sac_das_fraction(turns));
        float2 *to =
            out + x * job->out_across + block.first * job->out_along + (z + d) * job->out_z;
#pragma unroll
        for (int i = 0; i < ALONG; i++) {
            if (i >= block.n || z + d >= job->n_z)
                continue;
            const float2 v = sac_add(make_float2(0, 0), turn.x, turn.y, sum[i][d]);
            float2 *one = to + i * job->out_along;
            *one = adds ? sac_plus(*one, v) : v;
        }
    }
}

/* blockIdx.x: columns of a warp, of some depths; blockIdx.y: the block along the lines. */
__global__ void __launch_bounds__(THREADS, 4)
    add_ways(float2 *out, const float2 *images, const __grid_constant__ sac_dual_cuda job,
             uint32_t n_columns, bool adds)
{
    __shared__ shared_taps taps;
    const int64_t x = (int64_t)(blockIdx.x % n_columns) * SAC_WARP + threadIdx.x % SAC_WARP;
    const int64_t z = ((int64_t)(blockIdx.x / n_columns) * WARPS + threadIdx.x / SAC_WARP) * DEPTHS;
    const int64_t along = job.n_planes * job.n_across, image = job.n_depths * along;
    const float2 *column =
        images + job.blocks[blockIdx.y].plane * job.n_across + min(x, job.n_across - 1);
    float2 sum[ALONG][DEPTHS] = {};
    for (int32_t first = 0; first < job.n_tx; first += WAVES) {
        const int32_t n = min(WAVES, job.n_tx - first);
        __syncthreads();
        load_taps(&taps, &job, first, n);
        __syncthreads();
#pragma unroll 1
        for (int32_t t = 0; t < n; t++) {
            const sac_dual_cuda_start start = taps.start[t];
            const int64_t row = start.way * along;
            window v;
#pragma unroll
            for (int d = 0; d < DEPTHS; d++) {
                const int64_t at = min(z + d, job.n_z - 1) * job.refined + start.row;
                v.next[d] = column + (first + t) * image + at * along;
#pragma unroll
                for (int k = 0; k <= TAPS; k++, v.next[d] += row)
                    v.row[k][d] = __ldg(v.next[d]);
            }
            add_wave(sum, &v, row, taps.w[t], taps.a[t]);
        }
    }
    if (x < job.n_across)
        put(out, sum, x, z, &job, adds);
}

extern "C" sac_status sac_dual_cuda_run(sac_gpu_stream stream, float *out, const float *images,
                                        const sac_dual_cuda *job, bool adds)
{
    const int64_t columns = (job->n_across + SAC_WARP - 1) / SAC_WARP;
    const int64_t depths = (job->n_z + WARPS * DEPTHS - 1) / (WARPS * DEPTHS);
    add_ways<<<dim3((uint32_t)(columns * depths), (uint32_t)job->n_blocks), THREADS, 0, stream>>>(
        (float2 *)out, (const float2 *)images, *job, (uint32_t)columns, adds);
    return sac_cuda_launched();
}
