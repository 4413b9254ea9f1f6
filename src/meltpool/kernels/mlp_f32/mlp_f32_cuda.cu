/*
 * mlp_f32 on a GPU: a frame to a thread, to a warp, or eight to a warp, which then reads a
 * weight once for all of them. By warps, results have the same bytes either way.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/finish.cuh"
#include "mlp_f32_rungs.cuh"

#define THREADS 128 /* few, so that a thousand frames go to all multiprocessors */
#define WARPS (THREADS / SAC_WARP)
#define TILE 8  /* frames of a warp: two vectors of z */
#define UNITS 2 /* of a lane at a time: as many loads of weights as of z */
#define FEATURES SAC_MELTPOOL_FEATURES
#define OUTPUTS SAC_MELTPOOL_PREDICTIONS

/* Units are added by 32, and these sums then, so that rounding stays within the room's bound. */
__global__ void __launch_bounds__(THREADS)
    by_thread(float *out, const float *features, int64_t n,
              const __grid_constant__ sac_meltpool_net_cuda net)
{
    for (int64_t k = sac_grid_thread(); k < n; k += sac_grid_threads()) {
        __align__(16) float z[FEATURES];
        float sums[OUTPUTS] = {};
#pragma unroll
        for (int32_t i = 0; i < FEATURES; i++)
            z[i] = sac_meltpool_z(&net, i, features[k * FEATURES + i]);
        for (int32_t first = 0; first < net.n_units; first += SAC_WARP) {
            float part[OUTPUTS] = {};
            for (int32_t unit = first; unit < first + SAC_WARP; unit++)
                sac_meltpool_add_unit(part, &net, unit, sac_meltpool_hidden(&net, unit, z));
            for (int i = 0; i < OUTPUTS; i++)
                sums[i] += part[i];
        }
        for (int i = 0; i < OUTPUTS; i++)
            out[k * OUTPUTS + i] = sac_meltpool_activated(&net, i, sums[i]);
    }
}

__global__ void __launch_bounds__(THREADS)
    by_warp(float *out, const float *features, int64_t n,
            const __grid_constant__ sac_meltpool_net_cuda net)
{
    __shared__ __align__(16) float memory[WARPS][FEATURES];
    const int lane = (int)threadIdx.x % SAC_WARP;
    float *z = memory[threadIdx.x / SAC_WARP];
    for (int64_t k = sac_grid_thread() / SAC_WARP; k < n; k += sac_grid_threads() / SAC_WARP) {
        float both[OUTPUTS];
        for (int32_t i = lane; i < FEATURES; i += SAC_WARP)
            z[i] = sac_meltpool_z(&net, i, features[k * FEATURES + i]);
        __syncwarp();
        sac_meltpool_predict(both, &net, z);
        if (lane < OUTPUTS)
            out[k * OUTPUTS + lane] = lane == 0 ? both[0] : both[1];
        __syncwarp();
    }
}

/* One in four features' part of N units' sums for all frames of a tile, into `sum`. */
template <int N>
__device__ static void sum_part(float sum[N][TILE], const sac_meltpool_net_cuda &net, int32_t unit,
                                const float (*z)[TILE], int32_t first)
{
#pragma unroll
    for (int k = 0; k < N * TILE; k++)
        sum[k / TILE][k % TILE] = 0;
#pragma unroll
    for (int32_t i = first; i < FEATURES; i += 4) {
        const float4 low = *(const float4 *)z[i], high = *(const float4 *)(z[i] + 4);
        const float x[TILE] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
        for (int u = 0; u < N; u++) {
            const float w = __ldg(net.w1 + (ptrdiff_t)i * net.n_units + unit + u * SAC_WARP);
#pragma unroll
            for (int k = 0; k < TILE; k++)
                sum[u][k] = fmaf(w, x[k], sum[u][k]);
        }
    }
}

/* Adds N units, SAC_WARP apart, in the order of sac_meltpool_hidden and sac_meltpool_add_unit. */
template <int N>
__device__ static void add_units(float sums[TILE][OUTPUTS], const sac_meltpool_net_cuda &net,
                                 int32_t unit, const float (*z)[TILE])
{
    float a[N][TILE], b[N][TILE], c[N][TILE];
    sum_part<N>(a, net, unit, z, 0);
    sum_part<N>(b, net, unit, z, 1);
#pragma unroll
    for (int k = 0; k < N * TILE; k++)
        a[k / TILE][k % TILE] += b[k / TILE][k % TILE];
    sum_part<N>(b, net, unit, z, 2);
    sum_part<N>(c, net, unit, z, 3);
#pragma unroll
    for (int u = 0; u < N; u++) {
        const float bias = __ldg(net.b1 + unit + u * SAC_WARP);
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            const float x = fmaxf(a[u][k] + (b[u][k] + c[u][k]) + bias, 0.0f);
            sac_meltpool_add_unit(sums[k], &net, unit + u * SAC_WARP, x);
        }
    }
}

/* Features of `n` frames as the network takes them, frames side by side; 0 after the last. */
__device__ static void load_tile(float (*z)[TILE], const sac_meltpool_net_cuda &net,
                                 const float *features, int64_t n)
{
    for (int32_t k = (int32_t)threadIdx.x % SAC_WARP; k < TILE * FEATURES; k += SAC_WARP) {
        const int32_t frame = k / FEATURES, i = k % FEATURES;
        z[i][frame] = frame < n ? sac_meltpool_z(&net, i, features[k]) : 0;
    }
}

__global__ void __launch_bounds__(THREADS)
    by_tile(float *out, const float *features, int64_t n,
            const __grid_constant__ sac_meltpool_net_cuda net)
{
    __shared__ __align__(16) float memory[WARPS][FEATURES][TILE];
    const int lane = (int)threadIdx.x % SAC_WARP;
    float(*z)[TILE] = memory[threadIdx.x / SAC_WARP];
    for (int64_t k = sac_grid_thread() / SAC_WARP * TILE; k < n;
         k += sac_grid_threads() / SAC_WARP * TILE) {
        float sums[TILE][OUTPUTS] = {}, own = 0;
        load_tile(z, net, features + k * FEATURES, n - k);
        __syncwarp();
        int32_t unit = lane;
        for (; unit + SAC_WARP < net.n_units; unit += UNITS * SAC_WARP)
            add_units<UNITS>(sums, net, unit, z);
        if (unit < net.n_units) /* units are whole warps: all lanes, or none */
            add_units<1>(sums, net, unit, z);
#pragma unroll
        for (int i = 0; i < TILE * OUTPUTS; i++) {
            const float sum = sac_meltpool_sum_lanes(sums[i / OUTPUTS][i % OUTPUTS]);
            own = lane == i ? sum : own;
        }
        if (lane < TILE * OUTPUTS && lane < (n - k) * OUTPUTS)
            out[k * OUTPUTS + lane] = sac_meltpool_activated(&net, lane % OUTPUTS, own);
        __syncwarp();
    }
}

static sac_status threads_of(sac_gpu_stream stream, float *out, const float *features, int64_t n,
                             const sac_meltpool_net_cuda *net)
{
    return sac_meltpool_mlp_launch(by_thread, THREADS, n, stream, out, features, n, net);
}

static sac_status warps_of(sac_gpu_stream stream, float *out, const float *features, int64_t n,
                           const sac_meltpool_net_cuda *net)
{
    return sac_meltpool_mlp_launch(by_warp, THREADS, n * SAC_WARP, stream, out, features, n, net);
}

static sac_status tiles_of(sac_gpu_stream stream, float *out, const float *features, int64_t n,
                           const sac_meltpool_net_cuda *net)
{
    return sac_meltpool_mlp_launch(by_tile, THREADS, (n + TILE - 1) / TILE * SAC_WARP, stream, out,
                                   features, n, net);
}

extern "C" const sac_variant sac_mlp_f32_cuda[] = {
    {"threads", 0, false, SAC_FN(sac_mlp_f32_cuda_fn, threads_of)},
    {"tensor", 0, false, SAC_FN(sac_mlp_f32_cuda_fn, sac_mlp_f32_tensor)},
    {"warps", 0, true, SAC_FN(sac_mlp_f32_cuda_fn, warps_of)},
    {"tiles", 0, true, SAC_FN(sac_mlp_f32_cuda_fn, tiles_of)},
    {NULL, 0, false, NULL},
};
