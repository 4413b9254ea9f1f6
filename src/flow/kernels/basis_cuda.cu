/*
 * An SVD filter's matrices, and what svd:auto looks at, on a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/kernels/flow_cuda.h"
#include "gpu/block.cuh"
#include "gpu/launched.h"

#define THREADS 256

static uint32_t blocks_of(int64_t n)
{
    return (uint32_t)((n + THREADS - 1) / THREADS);
}

/* As put_vector and take_vectors of src/flow/filter.c have it. */
__global__ void __launch_bounds__(THREADS)
    put_vectors(float2 *first, float2 *second, const double *vectors, int32_t n, int32_t n_basis,
                int32_t low, int32_t high, bool keeps)
{
    const int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int32_t k = (int32_t)(thread / n), i = (int32_t)(thread % n);
    if (k >= n_basis)
        return;
    const int32_t at = keeps ? low + k : k < low ? k : high + k - low;
    const double *v = vectors + 2 * (int64_t)at * n;
    const float re = (float)v[i], im = (float)v[n + i], sign = keeps ? 1 : -1;
    first[(int64_t)k * n + i] = make_float2(re, im);
    second[(int64_t)i * n_basis + k] = make_float2(sign * re, -sign * im);
}

extern "C" sac_status sac_flow_cuda_basis(sac_gpu_stream stream, float *first, float *second,
                                          const double *vectors, int32_t n, int32_t n_basis,
                                          int32_t low, int32_t high, bool keeps)
{
    if (n_basis > 0)
        put_vectors<<<blocks_of((int64_t)n_basis * n), THREADS, 0, stream>>>(
            (float2 *)first, (float2 *)second, vectors, n, n_basis, low, high, keeps);
    return sac_cuda_launched();
}

__global__ void __launch_bounds__(THREADS) pick(float2 *picked, int64_t n_picked, const char *x,
                                                ptrdiff_t row, int64_t n_points, int32_t n)
{
    const int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int64_t i = thread / n_picked, p = thread % n_picked;
    if (i < n)
        picked[thread] = ((const float2 *)(x + i * row))[n_points * p / n_picked];
}

extern "C" sac_status sac_flow_cuda_pick(sac_gpu_stream stream, float *picked, int64_t n_picked,
                                         const float *x, ptrdiff_t row, int64_t n_points, int32_t n)
{
    pick<<<blocks_of(n * n_picked), THREADS, 0, stream>>>((float2 *)picked, n_picked,
                                                          (const char *)x, row, n_points, n);
    return sac_cuda_launched();
}

/* The block's sum of a value of each thread, for all of them. */
__device__ static double total(double v, double *sums)
{
    for (int32_t step = SAC_WARP / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(SAC_ALL_LANES, v, step);
    __syncthreads();
    if (threadIdx.x % SAC_WARP == 0)
        sums[threadIdx.x / SAC_WARP] = v;
    __syncthreads();
    v = 0;
    for (int32_t k = 0; k < THREADS / SAC_WARP; k++)
        v += sums[k];
    return v;
}

__global__ void __launch_bounds__(THREADS) raise(double *g, int32_t n, double share)
{
    __shared__ double sums[THREADS / SAC_WARP];
    double sum = 0;
    for (int32_t i = threadIdx.x; i < n; i += THREADS)
        sum += g[2 * ((int64_t)i * n + i)];
    sum = total(sum, sums);
    for (int32_t i = threadIdx.x; i < n; i += THREADS)
        g[2 * ((int64_t)i * n + i)] += share * sum;
}

extern "C" sac_status sac_flow_cuda_raise(sac_gpu_stream stream, double *g, int32_t n, double share)
{
    raise<<<1, THREADS, 0, stream>>>(g, n, share);
    return sac_cuda_launched();
}

/* A block has a row. Magnitudes go where the real part was: a thread's own; then all to the front,
 * in steps, so that none is overwritten that is still to come. */
__global__ void __launch_bounds__(THREADS) share(float *rows, int64_t n_points)
{
    __shared__ double sums[THREADS / SAC_WARP];
    float2 *row = (float2 *)rows + blockIdx.x * n_points;
    float *out = (float *)row;
    double mean = 0, square = 0;
    for (int64_t p = threadIdx.x; p < n_points; p += THREADS) {
        const float2 v = row[p];
        row[p].x = hypotf(v.x, v.y);
        mean += (double)row[p].x;
    }
    mean = total(mean, sums) / (double)n_points;
    for (int64_t p = threadIdx.x; p < n_points; p += THREADS)
        square += ((double)row[p].x - mean) * ((double)row[p].x - mean);
    square = total(square, sums);
    const double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (int64_t p = threadIdx.x; p - threadIdx.x < n_points; p += THREADS) {
        const float v = p < n_points ? row[p].x : 0;
        __syncthreads();
        if (p < n_points)
            out[p] = (float)(scale * ((double)v - mean));
        __syncthreads();
    }
}

extern "C" sac_status sac_flow_cuda_shares(sac_gpu_stream stream, float *rows, int64_t n_points,
                                           int32_t n)
{
    share<<<(uint32_t)n, THREADS, 0, stream>>>(rows, n_points);
    return sac_cuda_launched();
}
