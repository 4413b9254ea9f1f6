/*
 * What follows the sums of an ensemble on a GPU, point by point: averages, and what is asked of
 * them. In double, as the CPU's plan has it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>

#include "flow/kernels/flow_cuda.h"
#include "gpu/block.cuh"
#include "gpu/launched.h"

#define THREADS 256

__device__ static int64_t own_point()
{
    return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

static uint32_t blocks_of(int64_t n)
{
    return (uint32_t)((n + THREADS - 1) / THREADS); /* of at most 2^29 values */
}

__global__ void __launch_bounds__(THREADS) split(float *above, float *below, const float *between,
                                                 int64_t n_points, int32_t n, int32_t side)
{
    const int64_t p = own_point();
    if (p >= n_points)
        return;
    const float half = 0.5f * between[p] * (float)(n - 2 * side);
    const float low = side ? below[p] : 0, high = side ? above[p] : 0;
    above[p] = (high * (float)side + half) / (float)n;
    below[p] = (low * (float)side + half) / (float)n;
}

extern "C" sac_status sac_flow_cuda_split(sac_gpu_stream stream, float *maps, ptrdiff_t row,
                                          int64_t n_points, int32_t n, int32_t side)
{
    float *below = (float *)((char *)maps + row), *between = (float *)((char *)maps + 2 * row);
    split<<<blocks_of(n_points), THREADS, 0, stream>>>(maps, below, between, n_points, n, side);
    return sac_cuda_launched();
}

__global__ void __launch_bounds__(THREADS)
    average(float *out, const float *in, int64_t outer, int64_t n, int64_t inner, int64_t half)
{
    const int64_t at = own_point();
    if (at >= outer * n * inner)
        return;
    const int64_t k = at / inner % n;
    const int64_t first = max(k - half, (int64_t)0), last = min(k + half, n - 1);
    double sum = 0;
    for (int64_t j = first; j <= last; j++)
        sum += (double)in[at + (j - k) * inner];
    out[at] = (float)(sum / (double)(last - first + 1));
}

extern "C" sac_status sac_flow_cuda_average(sac_gpu_stream stream, float *out, const float *in,
                                            int64_t outer, int64_t n, int64_t inner, int64_t half)
{
    average<<<blocks_of(outer * n * inner), THREADS, 0, stream>>>(out, in, outer, n, inner, half);
    return sac_cuda_launched();
}

/* Bits of floats that are not negative are in the order of the floats. */
__global__ void __launch_bounds__(THREADS) find_greatest(float *most, const float *in, int64_t n)
{
    const int64_t p = own_point();
    const float v = p < n ? in[p] : 0;
    uint32_t bits = v > 0 && v <= FLT_MAX ? __float_as_uint(v) : 0;
    for (int step = SAC_WARP / 2; step > 0; step /= 2)
        bits = max(bits, __shfl_xor_sync(SAC_ALL_LANES, bits, step));
    if (threadIdx.x % SAC_WARP == 0 && bits)
        atomicMax((uint32_t *)most, bits);
}

extern "C" sac_status sac_flow_cuda_greatest(sac_gpu_stream stream, float *most, const float *in,
                                             int64_t n)
{
    find_greatest<<<blocks_of(n), THREADS, 0, stream>>>(most, in, n);
    return sac_cuda_launched();
}

__global__ void __launch_bounds__(THREADS)
    put_power(float *out, const float *power, const float *most, int64_t n, double range_db)
{
    const int64_t p = own_point();
    if (p >= n)
        return;
    const float own = power[p];
    const double share = (double)own / (double)*most;
    out[p] = range_db == 0    ? own
             : !isfinite(own) ? NAN
             : share > 0      ? (float)fmax(-range_db, 10 * log10(share))
                              : (float)-range_db; /* nothing, or all of it 0 */
}

extern "C" sac_status sac_flow_cuda_power(sac_gpu_stream stream, float *out, const float *power,
                                          const float *most, int64_t n, double range_db)
{
    put_power<<<blocks_of(n), THREADS, 0, stream>>>(out, power, most, n, range_db);
    return sac_cuda_launched();
}

__device__ static double velocity_of(const float *maps, int64_t p, int64_t n, double scale)
{
    return scale * atan2((double)maps[2 * n + p], (double)maps[n + p]);
}

__global__ void __launch_bounds__(THREADS)
    put_velocity(float *out, const float *maps, int64_t n, double scale)
{
    const int64_t p = own_point();
    if (p < n)
        out[p] = (float)velocity_of(maps, p, n, scale);
}

extern "C" sac_status sac_flow_cuda_velocity(sac_gpu_stream stream, float *out, const float *maps,
                                             int64_t n, double scale)
{
    put_velocity<<<blocks_of(n), THREADS, 0, stream>>>(out, maps, n, scale);
    return sac_cuda_launched();
}

__global__ void __launch_bounds__(THREADS)
    put_variance(float *out, const float *maps, int64_t n, double scale)
{
    const int64_t p = own_point();
    if (p >= n)
        return;
    const float power = maps[p];
    const double size = hypot((double)maps[n + p], (double)maps[2 * n + p]);
    const double share = size / (double)power;
    out[p] = power == 0 || share > 1 ? 0.0f : (float)(scale * (1 - share));
}

extern "C" sac_status sac_flow_cuda_variance(sac_gpu_stream stream, float *out, const float *maps,
                                             int64_t n, double scale)
{
    put_variance<<<blocks_of(n), THREADS, 0, stream>>>(out, maps, n, scale);
    return sac_cuda_launched();
}

__global__ void __launch_bounds__(THREADS)
    add_velocity(double *components, const float *maps, int64_t n, double scale, double x, double z,
                 bool empty)
{
    const int64_t p = own_point();
    if (p >= n)
        return;
    const double v = velocity_of(maps, p, n, scale);
    components[p] = (empty ? 0 : components[p]) + x * v;
    components[n + p] = (empty ? 0 : components[n + p]) + z * v;
}

extern "C" sac_status sac_flow_cuda_add(sac_gpu_stream stream, double *components,
                                        const float *maps, int64_t n, double scale,
                                        const double weights[2], bool empty)
{
    add_velocity<<<blocks_of(n), THREADS, 0, stream>>>(components, maps, n, scale, weights[0],
                                                       weights[1], empty);
    return sac_cuda_launched();
}

__global__ void __launch_bounds__(THREADS) round_all(float *out, const double *in, int64_t n)
{
    const int64_t p = own_point();
    if (p < n)
        out[p] = (float)in[p];
}

extern "C" sac_status sac_flow_cuda_round(sac_gpu_stream stream, float *out, const double *in,
                                          int64_t n)
{
    round_all<<<blocks_of(n), THREADS, 0, stream>>>(out, in, n);
    return sac_cuda_launched();
}
