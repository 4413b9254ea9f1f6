/*
 * Before and after cuSOLVER: matrices as it reads them, and vectors as eigen_c128 has them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>

#include "flow/kernels/flow_cuda.h"
#include "gpu/block.cuh"
#include "gpu/launched.h"

#define THREADS 256

/* A thread has an element of a matrix (n, n). */
static uint32_t blocks_of(int32_t n)
{
    return (uint32_t)(((int64_t)n * n + THREADS - 1) / THREADS);
}

__global__ void __launch_bounds__(THREADS) look(int32_t *broken, const double *g, int32_t n)
{
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int32_t i = (int32_t)(at / n), k = (int32_t)(at % n);
    if (i < n && i <= k && !(isfinite(g[2 * at]) && isfinite(g[2 * at + 1])))
        *broken = 1; /* whoever writes, writes the same */
}

/* The upper triangle of rows is the lower one of columns, of the conjugate matrix. What stands for
 * a broken one has values apart, none of which is found at once. */
__global__ void __launch_bounds__(THREADS)
    take(double *a, const int32_t *broken, const double *g, int32_t n)
{
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int32_t i = (int32_t)(at / n), k = (int32_t)(at % n);
    if (i >= n)
        return;
    const bool is_read = i <= k, own = *broken == 0;
    a[2 * at] = !is_read ? 0 : own ? g[2 * at] : i == k ? 1 + i : 1.0 / (1 + k - i);
    a[2 * at + 1] = is_read && own ? g[2 * at + 1] : 0;
}

extern "C" sac_status sac_flow_cuda_take(sac_gpu_stream stream, double *a, int32_t *broken,
                                         const double *g, int32_t n)
{
    const sac_status status =
        cudaMemsetAsync(broken, 0, sizeof *broken, stream) == cudaSuccess ? SAC_OK : SAC_E_DEVICE;
    if (status != SAC_OK)
        return status;
    look<<<blocks_of(n), THREADS, 0, stream>>>(broken, g, n);
    take<<<blocks_of(n), THREADS, 0, stream>>>(a, broken, g, n);
    return sac_cuda_launched();
}

typedef struct turn_job {
    double *values, *vectors;
    const double *least_first, *a;
    const int32_t *broken;
    int32_t n;
} turn_job;

/* A thread has an element of vector k. What is below rounding is 0, as eigen_c128 has it. */
__global__ void __launch_bounds__(THREADS) turn(const __grid_constant__ turn_job j)
{
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int32_t n = j.n, k = (int32_t)(at / n), i = (int32_t)(at % n);
    if (k >= n)
        return;
    const bool broken = *j.broken != 0;
    const double *from = j.a + 2 * ((int64_t)(n - 1 - k) * n + i);
    j.vectors[2 * (int64_t)k * n + i] = broken ? NAN : from[0];
    j.vectors[2 * (int64_t)k * n + n + i] = broken ? NAN : -from[1];
    const double value = j.least_first[n - 1 - k];
    if (i == 0)
        j.values[k] = broken ? NAN : value > n * DBL_EPSILON * j.least_first[n - 1] ? value : 0;
}

extern "C" sac_status sac_flow_cuda_turn(sac_gpu_stream stream, double *values, double *vectors,
                                         const double *least_first, const double *a,
                                         const int32_t *broken, int32_t n)
{
    const turn_job j = {values, vectors, least_first, a, broken, n};
    turn<<<blocks_of(n), THREADS, 0, stream>>>(j);
    return sac_cuda_launched();
}
