/*
 * Channel data into the order that delay-and-sum on a GPU reads
 * (beamform/kernels/das/cuda/das_cuda.h): bits are moved, integers become floats. A block brings a
 * tile of frames and samples of a record into shared memory, in pieces as long as they lie in
 * memory: of a frame's samples, or of a sample's frames. From there it writes units of 16 bytes,
 * whole lines of 128 where a group has so many.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cuda_fp16.h>

#include "gpu/block.cuh"
#include "beamform/kernels/das/cuda/das_cuda.h"
#include "beamform/kernels/das/cuda/das_half.cuh"

#define THREADS 256
/* Of a multiprocessor: 40 registers, which hold all values on their way. Turing has 4 at most. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define BLOCKS 4
#else
#define BLOCKS 6
#endif
#define VALUES 8 /* a thread's, on their way at once */
#define TILE (THREADS * VALUES)
#define INNER 32    /* frames of a tile where they lie side by side: a warp's */
#define LINE 8      /* units */
#define PADDING 128 /* INNER times a row's, of groups of two units */

typedef struct pack_job {
    const void *in;
    void *out;
    sac_das_cuda_strides from;
    int64_t frame, tx, rx; /* of out */
    int32_t group;         /* frames side by side: 1, or a number of units */
    int32_t n_frames, n_out, n_tx, n_rx, n_samples; /* n_out: frames, groups filled up */
    /* Of a tile, as powers of two: frames, samples; units that follow each other in memory. */
    int32_t frames_log2, samples_log2, units_log2;
    int32_t pitch; /* of a frame in the tile: so that neither way meets a bank twice */
    uint32_t n_segments;
    const float *largest; /* half precision's */
    bool inner;           /* frames lie side by side */
} pack_job;

/* G samples, one of each frame. */
template <typename T, int G> struct alignas(G * sizeof(T)) unit {
    T frame[G];
};

/* A sample as it is written: as it was, or a float; or complex and scaled, in half precision. */
template <typename T, typename Out> __device__ static Out written(T v, float, Out)
{
    return (Out)v;
}

__device__ static __half2 written(float2 v, float scale, __half2)
{
    return __floats2half2_rn(scale * v.x, scale * v.y);
}

/* Where a block works. */
typedef struct place {
    int32_t frame, sample; /* the tile's first */
    int64_t t, r;
} place;

__device__ static place place_of(const pack_job *j)
{
    place p;
    uint32_t block = blockIdx.x;
    p.sample = (int32_t)(block % j->n_segments) << j->samples_log2;
    block /= j->n_segments;
    p.r = block % (uint32_t)j->n_rx;
    block /= (uint32_t)j->n_rx;
    p.t = block % (uint32_t)j->n_tx;
    p.frame = (int32_t)(block / (uint32_t)j->n_tx) << j->frames_log2;
    return p;
}

template <typename T, typename Out>
__device__ static void load_tile(Out *tile, const pack_job *j, const place *p)
{
    const T *in = (const T *)j->in + p->frame * j->from.frame + p->t * j->from.tx +
                  p->r * j->from.rx + p->sample * j->from.sample;
    const float scale = j->largest ? sac_das_half_scale(*j->largest) : 1;
    const int32_t n_frames = j->n_frames - p->frame, n_samples = j->n_samples - p->sample;
    const int32_t low = j->inner ? j->frames_log2 : j->samples_log2;
    Out value[VALUES];
#pragma unroll
    for (int k = 0; k < VALUES; k++) {
        const int32_t i = (int32_t)threadIdx.x + k * THREADS;
        const int32_t fast = i & ((1 << low) - 1), slow = i >> low;
        const int32_t f = j->inner ? fast : slow, s = j->inner ? slow : fast;
        value[k] = f < n_frames && s < n_samples
                       ? written(in[f * j->from.frame + s * j->from.sample], scale, Out{})
                       : Out{};
    }
#pragma unroll
    for (int k = 0; k < VALUES; k++) {
        const int32_t i = (int32_t)threadIdx.x + k * THREADS;
        const int32_t fast = i & ((1 << low) - 1), slow = i >> low;
        tile[j->inner ? fast * j->pitch + slow : slow * j->pitch + fast] = value[k];
    }
}

/* A warp's units: those of a line, of as many samples as it has lanes left. */
template <typename Out, int G>
__device__ static void store_tile(const Out *tile, const pack_job *j, const place *p)
{
    Out *out = (Out *)j->out + p->t * j->tx + p->r * j->rx;
    const int32_t n = j->n_samples + (G > 1 ? SAC_DAS_GAP : 0); /* zeros after a packed record */
#pragma unroll
    for (int k = 0; k < VALUES / G; k++) {
        const int32_t i = (int32_t)threadIdx.x + k * THREADS, rest = i >> j->units_log2;
        const int32_t s = rest & ((1 << j->samples_log2) - 1);
        const int32_t line = (rest >> j->samples_log2) << j->units_log2;
        const int32_t f = (line + (i & ((1 << j->units_log2) - 1))) * G;
        unit<Out, G> u;
#pragma unroll
        for (int g = 0; g < G; g++)
            u.frame[g] = tile[(f + g) * j->pitch + s];
        const int32_t frame = p->frame + f, sample = p->sample + s;
        if (frame < j->n_out && sample < n)
            *(unit<Out, G> *)(out + frame / j->group * j->frame + (int64_t)sample * j->group +
                              frame % j->group) = u;
    }
}

template <typename T, typename Out, int G>
__global__ void __launch_bounds__(THREADS, BLOCKS) pack_samples(const __grid_constant__ pack_job j)
{
    __shared__ Out tile[TILE + PADDING];
    const place p = place_of(&j);
    load_tile<T>(tile, &j, &p);
    __syncthreads();
    store_tile<Out, G>(tile, &j, &p);
}

static int32_t log2_of(int32_t n)
{
    int32_t log2 = 0;
    while ((1 << log2) < n)
        log2++;
    return log2;
}

template <typename T, typename Out, int G>
static sac_status launch(sac_gpu_stream stream, pack_job *j)
{
    const int32_t units = j->group / G < LINE ? j->group / G : LINE; /* powers of two */
    const int32_t few = j->n_out < INNER ? j->n_out : INNER;
    const int32_t inner = j->inner ? few : 1, frames = inner > j->group ? inner : j->group;
    j->frames_log2 = log2_of(frames);
    j->samples_log2 = log2_of(TILE) - j->frames_log2;
    j->units_log2 = log2_of(units);
    j->pitch = (1 << j->samples_log2) + (G > 1 ? LINE / units : 1);
    const int64_t n = j->n_samples + (G > 1 ? SAC_DAS_GAP : 0);
    const uint64_t records = (uint64_t)j->n_tx * (uint64_t)j->n_rx;
    const uint64_t chunks = ((uint64_t)j->n_out + (1u << j->frames_log2) - 1) >> j->frames_log2;
    j->n_segments = (uint32_t)(((uint64_t)n + (1u << j->samples_log2) - 1) >> j->samples_log2);
    const uint64_t of_record = chunks * j->n_segments;
    if (records == 0 || of_record == 0)
        return SAC_OK;
    if (of_record > INT32_MAX / records)
        return SAC_E_UNSUPPORTED;
    pack_samples<T, Out, G><<<(uint32_t)(of_record * records), THREADS, 0, stream>>>(*j);
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
    j.n_out = (das->n_frames + run->group - 1) / run->group * run->group;
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

template <typename T, typename Out> static sac_status launch_of(sac_gpu_stream stream, pack_job *j)
{
    return j->group > 1 ? launch<T, Out, 16 / (int)sizeof(Out)>(stream, j)
                        : launch<T, Out, 1>(stream, j);
}

extern "C" sac_status sac_das_cuda_pack(sac_gpu_stream stream, void *out, const void *in,
                                        const sac_das_cuda_strides *from, const sac_das_cuda *run,
                                        int32_t n_frames, int32_t size, int32_t from_size)
{
    pack_job j = job_of(out, in, from, run, n_frames);
    if (size == 8)
        return launch_of<uint64_t, uint64_t>(stream, &j);
    if (size == 4)
        return from_size == 2 ? launch_of<int16_t, float>(stream, &j)
                              : launch_of<uint32_t, uint32_t>(stream, &j);
    return launch<uint16_t, uint16_t, 1>(stream, &j);
}
