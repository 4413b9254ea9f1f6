/*
 * interp on a GPU, all types and options: four points a thread, whose delays are asked for before
 * the first is used. Delays and results pass the L1 cache by, which is left to the records.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/cuda/das_cuda.cuh"
#include "beamform/kernels/interp/interp_cuda.h"
#include "gpu/launch.cuh"

#define AHEAD 4
#define MAX_GRID_Y 65535

/* A complex sample that lies on no boundary of its own size. */
struct pair {
    float x, y;
};

__device__ static float2 sac_sample_of(pair v)
{
    return make_float2(v.x, v.y);
}

__device__ static void store(float *to, float v)
{
    __stcs(to, v);
}
__device__ static void store(float2 *to, float2 v)
{
    __stcs(to, v);
}
__device__ static void store(pair *to, float2 v)
{
    __stcs(&to->x, v.x);
    __stcs(&to->y, v.y);
}

__device__ static float cubic(float a, float b, float c, float d, float u)
{
    const float p1 = c - a, p2 = fmaf(4, c, fmaf(2, a, fmaf(-5, b, -d))),
                p3 = fmaf(3, b - c, d - a);
    return fmaf(0.5f * u, fmaf(u, fmaf(u, p3, p2), p1), b);
}
__device__ static float2 cubic(float2 a, float2 b, float2 c, float2 d, float u)
{
    return make_float2(cubic(a.x, b.x, c.x, d.x, u), cubic(a.y, b.y, c.y, d.y, u));
}

__device__ static int32_t whole_of(float s)
{
    return __float2int_rz(s);
}
__device__ static int32_t whole_of(double s)
{
    return __double2int_rz(s);
}

/* f(in, s): S samples, D delays. */
template <class S, class D, sac_interp INTERP>
__device__ static auto interpolate(const S *in, D s, int32_t last, bool hold)
{
    if (hold && !(s > 0)) /* NaN, too */
        s = 0;
    int32_t i = whole_of(s);
    D u = s - (D)i;
    if (hold && i >= last)
        u = 0;
    const bool is_inside = hold || (s >= 0 && (i < last || (i == last && u == 0)));
    i = is_inside ? min(i, last) : 0;
    const int32_t next = min(i + 1, last);
    if (INTERP == SAC_INTERP_NEAREST) {
        const auto v = sac_sample_of(in[u < (D)0.5 ? i : next]);
        return is_inside ? v : decltype(v){};
    }
    const auto b = sac_sample_of(in[i]), c = sac_sample_of(in[next]);
    auto v = sac_between(b, c, (float)u);
    if (INTERP == SAC_INTERP_CUBIC && i >= 1 && i + 1 < last)
        v = cubic(sac_sample_of(in[i - 1]), b, c, sac_sample_of(in[i + 2]), (float)u);
    return is_inside ? v : decltype(v){};
}

/* Points along x, layers along y and z; lanes have neighboring points, a thread's lie a block
 * apart.
 */
template <class S, class O, class D, sac_interp INTERP>
__global__ void four_ahead(void *out, sac_interp_job job)
{
    const int64_t n_threads = sac_block_threads();
    const bool hold = job.outside == SAC_OUTSIDE_CLAMP;
    for (int64_t l = (int64_t)blockIdx.z * gridDim.y + blockIdx.y; l < job.n_layers;
         l += (int64_t)gridDim.y * gridDim.z) {
        const S *in = (const S *)((const char *)job.in + l * job.in_layer);
        const D *delays = (const D *)((const char *)job.delays + l * job.delays_layer);
        O *to = (O *)((char *)out + l * job.out_layer);
        int64_t p = (int64_t)blockIdx.x * AHEAD * n_threads + sac_thread();
        for (; p < job.n_points; p += (int64_t)gridDim.x * AHEAD * n_threads) {
            D s[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                s[k] = p + k * n_threads < job.n_points ? __ldcs(delays + p + k * n_threads) : 0;
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                if (p + k * n_threads < job.n_points)
                    store(to + p + k * n_threads,
                          interpolate<S, D, INTERP>(in, s[k], job.n_samples - 1, hold));
        }
    }
}

template <class S, class O, class D>
static void enqueue_of(const sac_launch &l, sac_gpu_stream stream, void *out,
                       const sac_interp_job *job)
{
    switch (job->interp) {
    case SAC_INTERP_NEAREST:
        four_ahead<S, O, D, SAC_INTERP_NEAREST><<<l.grid, l.block, 0, stream>>>(out, *job);
        break;
    case SAC_INTERP_LINEAR:
        four_ahead<S, O, D, SAC_INTERP_LINEAR><<<l.grid, l.block, 0, stream>>>(out, *job);
        break;
    case SAC_INTERP_CUBIC:
        four_ahead<S, O, D, SAC_INTERP_CUBIC><<<l.grid, l.block, 0, stream>>>(out, *job);
        break;
    }
}

template <class S, class O>
static void enqueue(const sac_launch &l, sac_gpu_stream stream, void *out,
                    const sac_interp_job *job)
{
    if (job->delays_dtype == SAC_F64)
        enqueue_of<S, O, double>(l, stream, out, job);
    else
        enqueue_of<S, O, float>(l, stream, out, job);
}

extern "C" sac_status sac_interp_four_ahead(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                            void *out, const sac_interp_job *job,
                                            const sac_interp_scene *scene)
{
    const int64_t tile = AHEAD * SAC_RUNG_THREADS;
    const int64_t tiles = max((job->n_points + tile - 1) / tile, (int64_t)1);
    const uintptr_t complex_bits =
        (uintptr_t)job->in | (uintptr_t)job->in_layer | (uintptr_t)out | (uintptr_t)job->out_layer;
    sac_launch l = sac_launch_of(shape, 1);
    if (!shape)
        l.grid = dim3((unsigned)min(tiles, (int64_t)INT32_MAX),
                      (unsigned)min(job->n_layers, (int64_t)MAX_GRID_Y));
    (void)scene;
    switch (job->dtype) {
    case SAC_I16:
        enqueue<int16_t, float>(l, stream, out, job);
        break;
    case SAC_F32:
        enqueue<float, float>(l, stream, out, job);
        break;
    default:
        if (complex_bits % sizeof(float2) == 0)
            enqueue<float2, float2>(l, stream, out, job);
        else
            enqueue<pair, pair>(l, stream, out, job);
    }
    return sac_cuda_launched();
}
