/*
 * lag_c64 on a GPU: a thread has a point. Products of single precision are exact in double, so that
 * fusing changes no bit, and sums are in the reference's order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/kernels/flow_cuda.h"
#include "gpu/launched.h"

#define THREADS 128

typedef struct lag_job {
    float *out;
    const float *x;
    ptrdiff_t out_row, row; /* bytes */
    int64_t n_points;
    int32_t n, lag;
} lag_job;

__device__ static float2 sample(const lag_job *j, int32_t i, int64_t p)
{
    return ((const float2 *)((const char *)j->x + i * j->row))[p];
}

__device__ static float *out_row(const lag_job *j, int32_t k)
{
    return (float *)((char *)j->out + k * j->out_row);
}

__global__ void __launch_bounds__(THREADS) autocorrelate(const __grid_constant__ lag_job j)
{
    const int64_t p = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (p >= j.n_points)
        return;
    double power = 0, re = 0, im = 0;
#pragma unroll 8
    for (int32_t i = 0; i < j.n; i++) {
        const float2 a = sample(&j, i, p);
        power += (double)a.x * (double)a.x + (double)a.y * (double)a.y;
        if (j.lag == 0 || i < j.lag)
            continue;
        const float2 b = sample(&j, i - j.lag, p);
        re += (double)b.x * (double)a.x + (double)b.y * (double)a.y;
        im += (double)b.x * (double)a.y - (double)b.y * (double)a.x;
    }
    out_row(&j, 0)[p] = (float)(power / j.n);
    if (j.lag == 0)
        return;
    out_row(&j, 1)[p] = (float)(re / (j.n - j.lag));
    out_row(&j, 2)[p] = (float)(im / (j.n - j.lag));
}

extern "C" sac_status sac_lag_c64_cuda(sac_gpu_stream stream, float *out, ptrdiff_t out_row,
                                       const float *x, ptrdiff_t row, int64_t n_points, int32_t n,
                                       int32_t lag)
{
    const lag_job j = {out, x, out_row, row, n_points, n, lag};
    if (n_points > 0)
        autocorrelate<<<(uint32_t)((n_points + THREADS - 1) / THREADS), THREADS, 0, stream>>>(j);
    return sac_cuda_launched();
}
