/*
 * mlp_f32 on tensor cores: hidden units of 16 frames at once. A factor is the sum of two
 * numbers of 11 bits each, and a product those of the larger ones and of a larger one with a
 * smaller one: three products where plain tf32 has one, whose 11 bits break the room's bound.
 *
 * A product of matrices: 16 rows are frames, 8 columns are hidden units, 8 terms are features. Of
 * lane 4 g + t are the terms of frames g and g + 8 and of unit g with features t and t + 4, and the
 * results of frames g and g + 8 for units 2 t and 2 t + 1.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/finish.cuh"
#include "mlp_f32_rungs.cuh"

#define THREADS 128
#define FRAMES 16
#define COLUMNS 8
#define TERMS 8
#define STEPS (SAC_MELTPOOL_FEATURES / TERMS)
#define FEATURES SAC_MELTPOOL_FEATURES
#define OUTPUTS SAC_MELTPOOL_PREDICTIONS

/* x in two numbers of 11 bits. */
typedef struct split {
    float large, small;
} split;

/* To 11 bits, to the nearest, halves away from 0. */
__device__ static float rounded(float x)
{
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1fffu);
}

__device__ static split split_of(float x)
{
    const float large = rounded(x);
    return split{large, rounded(x - large)};
}

/* sum += a b, a (16, 8), b (8, 8), all of their numbers of 11 bits. */
__device__ static void multiply(float sum[4], const float a[4], const float b[2])
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#else /* tensor cores that know no tf32: the lanes by themselves */
    const int lane = (int)threadIdx.x % SAC_WARP, t = lane % 4;
    for (int k = 0; k < TERMS; k++) {
        const int of_row = lane / 4 * 4 + k % 4, of_column = 8 * t + k % 4;
        for (int i = 0; i < 4; i++) {
            const float x = __shfl_sync(SAC_ALL_LANES, a[k / 4 * 2 + i / 2], of_row);
            const float y = __shfl_sync(SAC_ALL_LANES, b[k / 4], of_column + 4 * (i % 2));
            sum[i] = fmaf(x, y, sum[i]);
        }
    }
#endif
}

/* The lane's features of `n` frames, 0 after the last. */
__device__ static void load_frames(float large[STEPS][4], float small[STEPS][4],
                                   const sac_meltpool_net_cuda &net, const float *features,
                                   int64_t n)
{
    const int lane = (int)threadIdx.x % SAC_WARP, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int k = 0; k < STEPS * 4; k++) {
        const int32_t frame = g + k % 2 * 8, i = k / 4 * TERMS + t + k % 4 / 2 * 4;
        const float z = frame < n ? sac_meltpool_z(&net, i, features[frame * FEATURES + i]) : 0;
        const split parts = split_of(z);
        large[k / 4][k % 4] = parts.large;
        small[k / 4][k % 4] = parts.small;
    }
}

/* W1 z of 8 units from `unit` on. */
__device__ static void multiply_units(float sum[4], const sac_meltpool_net_cuda &net, int32_t unit,
                                      const float large[STEPS][4], const float small[STEPS][4])
{
    const int lane = (int)threadIdx.x % SAC_WARP;
    const float *w = net.w1 + (ptrdiff_t)(lane % 4) * net.n_units + unit + lane / 4;
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        float high[2], low[2];
        for (int i = 0; i < 2; i++) {
            const split parts = split_of(__ldg(w + (ptrdiff_t)(k * TERMS + 4 * i) * net.n_units));
            high[i] = parts.large;
            low[i] = parts.small;
        }
        multiply(sum, large[k], low);
        multiply(sum, small[k], high);
        multiply(sum, large[k], high);
    }
}

/* Adds the lane's two units to the outputs of its two frames. */
__device__ static void add_units(float sums[2][OUTPUTS], const float hidden[4],
                                 const sac_meltpool_net_cuda &net, int32_t unit)
{
    const float2 bias = __ldg((const float2 *)(net.b1 + unit));
    const float b[2] = {bias.x, bias.y};
#pragma unroll
    for (int i = 0; i < 4; i++)
        sac_meltpool_add_unit(sums[i / 2], &net, unit + i % 2, fmaxf(hidden[i] + b[i % 2], 0.0f));
}

__global__ void __launch_bounds__(THREADS)
    by_tensor(float *out, const float *features, int64_t n,
              const __grid_constant__ sac_meltpool_net_cuda net)
{
    const int lane = (int)threadIdx.x % SAC_WARP, t = lane % 4;
    for (int64_t k = sac_grid_thread() / SAC_WARP * FRAMES; k < n;
         k += sac_grid_threads() / SAC_WARP * FRAMES) {
        float large[STEPS][4], small[STEPS][4], sums[2][OUTPUTS] = {}, own = 0;
        load_frames(large, small, net, features + k * FEATURES, n - k);
        for (int32_t unit = 0; unit < net.n_units; unit += COLUMNS) {
            float hidden[4] = {};
            multiply_units(hidden, net, unit, large, small);
            add_units(sums, hidden, net, unit + 2 * t);
        }
#pragma unroll
        for (int i = 0; i < 2 * OUTPUTS; i++) {
            float sum = sums[i / OUTPUTS][i % OUTPUTS];
            sum += __shfl_xor_sync(SAC_ALL_LANES, sum, 1);
            sum += __shfl_xor_sync(SAC_ALL_LANES, sum, 2);
            own = t == i ? sum : own; /* one of the four results of four lanes */
        }
        const int64_t frame = k + lane / 4 + t / OUTPUTS * 8;
        if (frame < n)
            out[frame * OUTPUTS + t % OUTPUTS] = sac_meltpool_activated(&net, t % OUTPUTS, own);
    }
}

sac_status sac_mlp_f32_tensor(sac_gpu_stream stream, float *out, const float *features, int64_t n,
                              const sac_meltpool_net_cuda *net)
{
    return sac_meltpool_mlp_launch(by_tensor, THREADS, (n + FRAMES - 1) / FRAMES * SAC_WARP, stream,
                                   out, features, n, net);
}
