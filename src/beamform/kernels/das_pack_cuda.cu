/*
 * Channel data into the order that delay-and-sum on a GPU reads (beamform/kernels/das_cuda.h): bits
 * are moved. A thread brings those G frames of a sample together that fill a unit of 16 bytes; a
 * warp takes two units and sixteen samples, so that it writes whole sectors of 32 bytes, and reads
 * as many where samples or frames lie side by side.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cuda_fp16.h>

#include "gpu/block.cuh"
#include "beamform/kernels/das_cuda.h"
#include "beamform/kernels/das_half.cuh"

#define THREADS 256
#define SAMPLES 4 /* a thread's, on their way at once */

typedef struct pack_job {
    const void *in;
    void *out;
    sac_das_cuda_strides from;
    int64_t frame, tx, rx; /* of out */
    int32_t group;         /* frames side by side: a number of units */
    int32_t n_frames, n_units, n_tx, n_rx, n_samples;
    int32_t lanes;                 /* of a warp along samples; the others are along units */
    uint32_t n_across, n_segments; /* warps across the units, along the samples */
    uint32_t n_warps;
    const float *largest; /* half precision's */
    bool inner; /* frames lie side by side: neighbouring warps then take neighbouring frames */
} pack_job;

/* G samples, one of each frame. */
template <typename T, int G> struct alignas(G * sizeof(T)) unit {
    T frame[G];
};

/* A sample as it is written: as it was, or complex and scaled, in half precision. */
template <typename T> __device__ static T written(T v, float, T)
{
    return v;
}

__device__ static __half2 written(float2 v, float scale, __half2)
{
    return __floats2half2_rn(scale * v.x, scale * v.y);
}

/* Where a warp works. */
typedef struct place {
    uint32_t across, segment, r, t;
} place;

__device__ static place place_of(const pack_job *j, uint32_t warp)
{
    place p;
    if (j->inner) {
        p.across = warp % j->n_across;
        warp /= j->n_across;
    }
    p.segment = warp % j->n_segments;
    warp /= j->n_segments;
    p.r = warp % (uint32_t)j->n_rx;
    warp /= (uint32_t)j->n_rx;
    p.t = warp % (uint32_t)j->n_tx;
    if (!j->inner)
        p.across = warp / (uint32_t)j->n_tx;
    return p;
}

template <typename T, typename Out, int G>
__global__ void __launch_bounds__(THREADS) pack_samples(const __grid_constant__ pack_job j)
{
    const uint32_t warp = blockIdx.x * (THREADS / SAC_WARP) + threadIdx.x / SAC_WARP;
    if (warp >= j.n_warps)
        return;
    const int32_t lane = threadIdx.x % SAC_WARP;
    const place p = place_of(&j, warp);
    const int32_t unit_of = (int32_t)p.across * (SAC_WARP / j.lanes) + lane / j.lanes;
    if (unit_of >= j.n_units)
        return;
    const int32_t first = (int32_t)p.segment * j.lanes * SAMPLES + lane % j.lanes;
    const int64_t frame = (int64_t)unit_of * G;
    const T *in = (const T *)j.in + frame * j.from.frame + p.t * j.from.tx + p.r * j.from.rx;
    const float scale = j.largest ? sac_das_half_scale(*j.largest) : 1;
    Out *out = (Out *)j.out + frame / j.group * j.frame + p.t * j.tx + p.r * j.rx + frame % j.group;
    unit<Out, G> value[SAMPLES];
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const int32_t s = first + k * j.lanes;
#pragma unroll
        for (int f = 0; f < G; f++)
            value[k].frame[f] =
                s < j.n_samples && frame + f < j.n_frames
                    ? written(in[f * j.from.frame + s * j.from.sample], scale, Out{})
                    : Out{};
    }
    const int32_t n = j.n_samples + (G > 1 ? SAC_DAS_GAP : 0); /* zeros after a packed record */
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        if (first + k * j.lanes < n)
            *(unit<Out, G> *)(out + (int64_t)(first + k * j.lanes) * j.group) = value[k];
}

template <typename T, typename Out, int G>
static sac_status launch(sac_gpu_stream stream, pack_job *j)
{
    const int32_t bytes = (int32_t)sizeof(Out) * G;
    /* As few samples as make a sector, so that what is read has as many frames as can be. */
    j->lanes = j->inner ? bytes < 8 ? 32 / bytes : 4 : G > 1 ? SAC_WARP / 2 : SAC_WARP;
    const int32_t across = SAC_WARP / j->lanes, along = j->lanes * SAMPLES;
    const int32_t n = j->n_samples + (G > 1 ? SAC_DAS_GAP : 0);
    j->n_units = (j->n_units + j->group - 1) / j->group * (j->group / G);
    j->n_across = (uint32_t)((j->n_units + across - 1) / across);
    j->n_segments = (uint32_t)((n + along - 1) / along);
    const uint64_t records = (uint64_t)j->n_tx * (uint64_t)j->n_rx;
    const uint64_t of_record = (uint64_t)j->n_across * j->n_segments;
    if (records == 0 || of_record == 0)
        return SAC_OK;
    if (of_record > INT32_MAX / records)
        return SAC_E_UNSUPPORTED;
    j->n_warps = (uint32_t)(of_record * records);
    const uint32_t blocks = (j->n_warps - 1) / (THREADS / SAC_WARP) + 1;
    pack_samples<T, Out, G><<<blocks, THREADS, 0, stream>>>(*j);
    return sac_cuda_launched();
}

static pack_job job_of(void *out, const void *in, const sac_das_cuda_strides *from,
                       const sac_das_cuda *run, int32_t n_frames)
{
    const sac_das *das = &run->das;
    pack_job j = {};
    j.in = in;
    j.out = out;
    j.from = *from;
    j.frame = run->frame;
    j.tx = run->tx;
    j.rx = run->rx;
    j.n_frames = n_frames;
    j.group = run->group;
    j.n_units = das->n_frames;
    j.n_tx = das->n_tx;
    j.n_rx = das->n_rx;
    j.n_samples = das->n_samples;
    j.inner = llabs(from->frame) < llabs(from->sample) && das->n_frames > 1;
    return j;
}

extern "C" sac_status sac_das_cuda_pack_half(sac_gpu_stream stream, void *out, const void *in,
                                             const sac_das_cuda_strides *from,
                                             const sac_das_cuda *run, int32_t n_frames)
{
    pack_job j = job_of(out, in, from, run, n_frames);
    j.largest = run->largest;
    return launch<float2, __half2, 4>(stream, &j);
}

extern "C" sac_status sac_das_cuda_pack(sac_gpu_stream stream, void *out, const void *in,
                                        const sac_das_cuda_strides *from, const sac_das_cuda *run,
                                        int32_t n_frames, int32_t size)
{
    pack_job j = job_of(out, in, from, run, n_frames);
    const bool packed = run->group > 1;
    if (size == 8)
        return packed ? launch<uint64_t, uint64_t, 2>(stream, &j)
                      : launch<uint64_t, uint64_t, 1>(stream, &j);
    if (size == 4)
        return packed ? launch<uint32_t, uint32_t, 4>(stream, &j)
                      : launch<uint32_t, uint32_t, 1>(stream, &j);
    return packed ? launch<uint16_t, uint16_t, 8>(stream, &j)
                  : launch<uint16_t, uint16_t, 1>(stream, &j);
}
