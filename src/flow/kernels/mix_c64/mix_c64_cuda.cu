/*
 * mix_c64 on a GPU: a thread has ROWS frames of POINTS points in registers, and all frames of `in`
 * go by; the matrix comes through shared memory. Blocks of the same points and other frames follow
 * each other, so that the second cache has what they read again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/kernels/flow_cuda.h"
#include "gpu/launched.h"

#define ROWS 8
#define POINTS 4
#define THREADS 128
#define STAGE 32 /* frames of `in` whose factors are in shared memory */

/* Factors [i, i + STAGE) of rows [r, r + ROWS): (STAGE, ROWS), 0 where there are none. */
__device__ static void load_factors(float4 *to, const sac_mix_job *j, int32_t r, int32_t i)
{
    float2 *factor = (float2 *)to;
    for (int32_t k = threadIdx.x; k < STAGE * ROWS; k += THREADS) {
        const int32_t row = r + k / STAGE, frame = i + k % STAGE;
        float2 v = make_float2(0, 0);
        if (row < j->n_out && frame < j->n_in)
            v = ((const float2 *)j->matrix)[(int64_t)row * j->n_in + frame];
        factor[k % STAGE * ROWS + k / STAGE] = v;
    }
}

__device__ static void add(float2 *to, float re, float im, float2 x)
{
    to->x = fmaf(re, x.x, fmaf(-im, x.y, to->x));
    to->y = fmaf(re, x.y, fmaf(im, x.x, to->y));
}

__device__ static void add_frame(float2 sums[ROWS][POINTS], const float4 *factor,
                                 const float2 x[POINTS])
{
#pragma unroll
    for (int r = 0; r < ROWS; r += 2) {
        const float4 two = factor[r / 2];
#pragma unroll
        for (int k = 0; k < POINTS; k++) {
            add(&sums[r][k], two.x, two.y, x[k]);
            add(&sums[r + 1][k], two.z, two.w, x[k]);
        }
    }
}

/* A row of the job's, from its first point on. */
__device__ static float2 *row_of(const float *rows, ptrdiff_t row, int32_t i)
{
    return (float2 *)((char *)rows + i * row);
}

__global__ void __launch_bounds__(THREADS)
    mix(const __grid_constant__ sac_mix_job j, uint32_t n_groups)
{
    __shared__ float4 factors[STAGE * ROWS / 2];
    const int32_t r0 = (int32_t)(blockIdx.x % n_groups) * ROWS;
    const int64_t p0 = (int64_t)(blockIdx.x / n_groups) * THREADS * POINTS + threadIdx.x;
    float2 sums[ROWS][POINTS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int k = 0; k < POINTS; k++)
            sums[r][k] = j.base && r0 + r < j.n_out && p0 + k * THREADS < j.n_points
                             ? row_of(j.base, j.base_row, r0 + r)[p0 + k * THREADS]
                             : make_float2(0, 0);
    for (int32_t i = 0; i < j.n_in; i += STAGE) {
        __syncthreads();
        load_factors(factors, &j, r0, i);
        __syncthreads();
        const int32_t n = min(STAGE, j.n_in - i);
#pragma unroll 4
        for (int32_t k = 0; k < n; k++) {
            const float2 *in = row_of(j.in, j.in_row, i + k);
            float2 x[POINTS];
#pragma unroll
            for (int m = 0; m < POINTS; m++)
                x[m] = p0 + m * THREADS < j.n_points ? in[p0 + m * THREADS] : make_float2(0, 0);
            add_frame(sums, factors + k * ROWS / 2, x);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int k = 0; k < POINTS; k++)
            if (r0 + r < j.n_out && p0 + k * THREADS < j.n_points)
                row_of(j.out, j.out_row, r0 + r)[p0 + k * THREADS] = sums[r][k];
}

extern "C" sac_status sac_mix_c64_cuda(sac_gpu_stream stream, const sac_mix_job *job)
{
    const int64_t n_groups = (job->n_out + ROWS - 1) / ROWS;
    const int64_t n_blocks = (job->n_points + THREADS * POINTS - 1) / (THREADS * POINTS) * n_groups;
    if (n_blocks == 0)
        return SAC_OK;
    if (n_blocks > INT32_MAX)
        return SAC_E_UNSUPPORTED; /* more than fits into any device */
    mix<<<(uint32_t)n_blocks, THREADS, 0, stream>>>(*job, (uint32_t)n_groups);
    return sac_cuda_launched();
}
