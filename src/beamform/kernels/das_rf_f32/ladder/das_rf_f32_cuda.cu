/*
 * das_rf_f32 on a GPU as Jarosik, Lewandowski and Yiu (2023) build it up, two kernels and then one;
 * and what the constant bank, approximate roots and half the bytes bring. A thread is a
 * point, or a quarter of one. One frame, linear, zero outside, no f-number; single precision,
 * delays in one float.
 * SPDX-License-Identifier: Apache-2.0
 */
#define CUDA_NO_HALF /* the type by that name: variables have it */
#include <cuda_fp16.h>

#include "gpu/block.cuh"
#include "beamform/kernels/das/cuda/das_cuda.cuh"
#include "beamform/kernels/das_rf_f32/das_rf_f32_cuda.h"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"
#include "gpu/launch.cuh"

/* A float delay in whole samples and the rest, 0 <= rest < 1, of |s| < 2^22. */
__device__ static inline int32_t floor_of(float *rest, float s)
{
    const float whole = __fadd_rd(s, 12582912.0f); /* 1.5 2^23: its last bit is 1 */
    *rest = s - (whole - 12582912.0f);
    return __float_as_int(whole) - 0x4b400000;
}

#define FOR_EACH(i, n) for (int64_t i = sac_grid_thread(); i < (n); i += sac_grid_threads())

typedef struct point {
    double exact[3]; /* in samples */
    float p[3];
    int64_t index;
} point;

__device__ static point point_of(const sac_das_cuda &run, int64_t index)
{
    point at;
    at.index = index;
    sac_das_point(at.exact, &run.das, index);
    for (int i = 0; i < 3; i++) {
        at.exact[i] *= run.scale;
        at.p[i] = (float)at.exact[i];
    }
    return at;
}

__device__ static float offset_of(const sac_das_cuda &run, int32_t t, const point &at)
{
    return (float)sac_das_offset(&run, t, at.exact, at.index);
}

__device__ static float2 taps_of(const float *record, int32_t i, int32_t next)
{
    return make_float2(__ldg(record + i), __ldg(record + next));
}

__device__ static float2 taps_of(const __half *record, int32_t i, int32_t next)
{
    return make_float2(__half2float(__ldg(record + i)), __half2float(__ldg(record + next)));
}

/* Both by one load. */
__device__ static float2 taps_of(const __half2 *record, int32_t i, int32_t)
{
    return __half22float2(__ldg(record + i));
}

/* FAST: the root to 2^-22, and no conversions, which share their unit with it. */
template <bool FAST, typename S>
__device__ static float receive(const S *record, const float *e, const float p[3], float offset,
                                int32_t last)
{
    const float x = p[0] - e[0], y = p[1] - e[1], z = p[2] - e[2];
    const float l2 = fmaf(x, x, fmaf(y, y, z * z));
    const float s = offset + (FAST ? l2 * sac_rsqrt(fmaxf(l2, 1e-30f)) : sqrtf(l2));
    if (!(s >= 0 && s <= (float)last))
        return 0;
    float u;
    int32_t i;
    if (FAST) {
        i = floor_of(&u, s);
    } else {
        i = (int32_t)s;
        u = s - (float)i;
    }
    const float2 taps = taps_of(record, i, min(i + 1, last));
    return sac_between(taps.x, taps.y, u);
}

/* Every stride-th element from `first` on; `data` is the transmit's. */
template <bool FAST, typename S>
__device__ static float sum_of(const sac_das_cuda &run, const float *place, const S *data,
                               const point &at, float offset, int32_t first, int32_t stride)
{
    const int32_t n_samples = run.das.n_samples;
    float sum = 0;
    for (int32_t r = first; r < run.das.n_rx; r += stride)
        sum += receive<FAST>(data + (int64_t)r * n_samples, &place[4 * r], at.p, offset,
                             n_samples - 1);
    return sum;
}

/* A transmit's sum into its image, or added to *all. */
__device__ static void put(float *out, float *all, const sac_das_cuda &run, int32_t t, float sum)
{
    if (run.das.lri)
        out[t * run.out_image] = sum;
    else
        *all = fmaf(run.waves[t].weight, sum, *all);
}

template <bool FAST, typename S>
__device__ static void sum_point(float *out, const sac_das_cuda &run, const float *place,
                                 const S *data, int64_t i)
{
    const point at = point_of(run, i);
    float all = 0;
    out += i * run.out_point;
    for (int32_t t = 0; t < run.das.n_tx; t++)
        put(out, &all, run, t,
            sum_of<FAST>(run, place, data + t * run.tx, at, offset_of(run, t, at), 0, 1));
    if (!run.das.lri)
        *out = all;
}

/* The first of two kernels. */
__global__ void interpolate(float *delayed, const __grid_constant__ sac_das_cuda run)
{
    const sac_das &das = run.das;
    FOR_EACH(i, das.n_points)
    {
        const point at = point_of(run, i);
        for (int32_t t = 0; t < das.n_tx; t++) {
            const float offset = offset_of(run, t, at);
            for (int32_t r = 0; r < das.n_rx; r++)
                delayed[((int64_t)t * das.n_rx + r) * das.n_points + i] =
                    receive<false>((const float *)run.data + t * run.tx + r * run.rx,
                                   &run.place_f32[4 * r], at.p, offset, das.n_samples - 1);
        }
    }
}

__global__ void sum_layers(float *out, const float *delayed,
                           const __grid_constant__ sac_das_cuda run)
{
    const sac_das &das = run.das;
    FOR_EACH(i, das.n_points)
    {
        float all = 0;
        for (int32_t t = 0; t < das.n_tx; t++) {
            const float *layers = delayed + (int64_t)t * das.n_rx * das.n_points + i;
            float sum = 0;
            for (int32_t r = 0; r < das.n_rx; r++)
                sum += __ldg(layers + r * das.n_points);
            put(out + i * run.out_point, &all, run, t, sum);
        }
        if (!das.lri)
            out[i * run.out_point] = all;
    }
}

/* The sum where it is kept: read and written for each element. */
__global__ void fused_global(float *out, const __grid_constant__ sac_das_cuda run)
{
    const sac_das &das = run.das;
    FOR_EACH(i, das.n_points)
    {
        const point at = point_of(run, i);
        for (int32_t t = 0; t < das.n_tx; t++) {
            const float offset = offset_of(run, t, at), weight = das.lri ? 1 : run.waves[t].weight;
            float *to = out + i * run.out_point + (das.lri ? t * run.out_image : 0);
            if (das.lri || t == 0)
                *to = 0;
            for (int32_t r = 0; r < das.n_rx; r++) {
                const float v =
                    receive<false>((const float *)run.data + t * run.tx + r * run.rx,
                                   &run.place_f32[4 * r], at.p, offset, das.n_samples - 1);
                sac_forget(); /* a compiler would keep it in a register */
                *to = fmaf(weight, v, *to);
            }
        }
    }
}

__global__ void fused_register(float *out, const __grid_constant__ sac_das_cuda run)
{
    FOR_EACH(i, run.das.n_points)
    sum_point<false>(out, run, run.place_f32, (const float *)run.data, i);
}

/* n lanes a point, 1, 2 or 4, each of every n-th element; threads that make no n rest. */
__global__ void sum_hybrid(float *out, const __grid_constant__ sac_das_cuda run, uint32_t n)
{
    const uint32_t groups = sac_block_threads() / n, group = sac_thread() / n;
    const uint32_t lane = sac_thread() % n, mask = ((1u << n) - 1)
                                                   << sac_thread() % SAC_WARP / n * n;
    if (group >= groups)
        return;
    for (int64_t i = sac_block() * groups + group; i < run.das.n_points;
         i += sac_blocks() * groups) {
        const point at = point_of(run, i);
        float all = 0;
        for (int32_t t = 0; t < run.das.n_tx; t++) {
            float sum = sum_of<false>(run, run.place_f32, (const float *)run.data + t * run.tx, at,
                                      offset_of(run, t, at), (int32_t)lane, (int32_t)n);
            for (uint32_t apart = 1; apart < n; apart *= 2)
                sum += __shfl_xor_sync(mask, sum, apart);
            if (lane == 0)
                put(out + i * run.out_point, &all, run, t, sum);
        }
        if (!run.das.lri && lane == 0)
            out[i * run.out_point] = all;
    }
}

/* The geometry is the kernel's parameter: it lies in the constant bank, which has a cache of its
 * own and leaves the load units to the samples. */
template <bool FAST, typename S>
__global__ void fused_constants(float *out, const __grid_constant__ sac_das_cuda run, const S *data,
                                const __grid_constant__ sac_das_rf_f32_constants constants)
{
    sac_das_cuda here = run;
    here.waves = constants.waves;
    FOR_EACH(i, here.das.n_points)
    sum_point<FAST>(out, here, &constants.place[0][0], data, i);
}

static sac_status launch_two_kernels(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                     const sac_das_cuda *run)
{
    float *delayed = ((const sac_das_rf_f32_steps *)run)->delayed;
    const sac_launch l = sac_launch_of(shape, run->das.n_points);
    interpolate<<<l.grid, l.block, 0, stream>>>(delayed, *run);
    sum_layers<<<l.grid, l.block, 0, stream>>>(out, delayed, *run);
    return sac_cuda_launched();
}

template <void (*KERNEL)(float *, sac_das_cuda)>
static sac_status launch_fused(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                               const sac_das_cuda *run)
{
    const sac_launch l = sac_launch_of(shape, run->das.n_points);
    KERNEL<<<l.grid, l.block, 0, stream>>>(out, *run);
    return sac_cuda_launched();
}

static sac_status launch_hybrid(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                const sac_das_cuda *run)
{
    const sac_launch l = sac_launch_of(shape, 4 * run->das.n_points);
    const uint32_t threads = l.block.x * l.block.y * l.block.z;
    sum_hybrid<<<l.grid, l.block, 0, stream>>>(out, *run, threads >= 4 ? 4 : threads >= 2 ? 2 : 1);
    return sac_cuda_launched();
}

template <bool FAST, typename S>
static sac_status launch_on(const S *data, sac_gpu_stream stream, const sac_gpu_shape *shape,
                            float *out, const sac_das_cuda *run)
{
    const sac_launch l = sac_launch_of(shape, run->das.n_points);
    fused_constants<FAST, S><<<l.grid, l.block, 0, stream>>>(
        out, *run, data, ((const sac_das_rf_f32_steps *)run)->constants);
    return sac_cuda_launched();
}

template <bool FAST>
static sac_status launch_constants(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                   const sac_das_cuda *run)
{
    return launch_on<FAST>((const float *)run->data, stream, shape, out, run);
}

static sac_status launch_halves(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                const sac_das_cuda *run)
{
    const sac_das_rf_f32_steps *steps = (const sac_das_rf_f32_steps *)run;
    return launch_on<true>((const __half *)steps->halves, stream, shape, out, run);
}

static sac_status launch_pairs(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                               const sac_das_cuda *run)
{
    const sac_das_rf_f32_steps *steps = (const sac_das_rf_f32_steps *)run;
    return launch_on<true>((const __half2 *)steps->pairs, stream, shape, out, run);
}

/* The last sample of a record is followed by itself. */
__global__ void convert(__half *halves, __half2 *pairs, const float *in, int64_t n,
                        int32_t n_samples)
{
    FOR_EACH(i, n)
    {
        const float v = in[i];
        halves[i] = __float2half_rn(v);
        pairs[i] = __floats2half2_rn(v, i % n_samples < n_samples - 1 ? in[i + 1] : v);
    }
}

extern "C" sac_status sac_das_rf_f32_steps_fill(sac_das_rf_f32_steps *steps, const float *data,
                                                sac_gpu_stream stream)
{
    const sac_das *das = &steps->run.das;
    const int64_t n = (int64_t)das->n_tx * das->n_rx * das->n_samples;
    sac_das_rf_f32_constants *to = &steps->constants;
    (void)cudaMemcpyAsync(to->waves, steps->run.waves, (size_t)das->n_tx * sizeof *to->waves,
                          cudaMemcpyDefault, stream);
    (void)cudaMemcpyAsync(to->place, steps->run.place_f32, (size_t)das->n_rx * sizeof *to->place,
                          cudaMemcpyDefault, stream);
    (void)cudaMemcpyAsync(steps->delayed, data, (size_t)n * sizeof *data, cudaMemcpyDefault,
                          stream);
    const sac_launch l = sac_launch_of(NULL, n);
    convert<<<l.grid, l.block, 0, stream>>>((__half *)steps->halves, (__half2 *)steps->pairs,
                                            steps->delayed, n, das->n_samples);
    return sac_cuda_launched();
}

#define RUNG(name, tier, kind, ...)                                                                \
    {                                                                                              \
        name, 0, false, SAC_FN(sac_das_cuda_fn, (__VA_ARGS__)), tier, kind                         \
    }

extern "C" const sac_variant sac_das_rf_f32_steps_cuda[] = {
    RUNG("two-kernels", SAC_TIER_FP32, SAC_DAS_STEPS, launch_two_kernels),
    RUNG("fused-global", SAC_TIER_FP32, SAC_DAS_STEPS, launch_fused<fused_global>),
    RUNG("sum-hybrid", SAC_TIER_FP32, SAC_DAS_STEPS, launch_hybrid),
    RUNG("fp16-pairs", SAC_TIER_FAST, SAC_DAS_STEPS_HALF, launch_pairs),
    RUNG("fused-register", SAC_TIER_FP32, SAC_DAS_STEPS, launch_fused<fused_register>),
    RUNG("constant-memory", SAC_TIER_FP32, SAC_DAS_STEPS, launch_constants<false>),
    RUNG("fast-intrinsics", SAC_TIER_FAST, SAC_DAS_STEPS, launch_constants<true>),
    RUNG("fp16-stored", SAC_TIER_FAST, SAC_DAS_STEPS_HALF, launch_halves),
    {NULL, 0, false, NULL, SAC_TIER_EXACT},
};
