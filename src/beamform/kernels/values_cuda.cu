/*
 * What follows the sums, value by value: envelope, a frame's maximum, decibels. Four values at a
 * time where both sides allow that; a frame may begin anywhere.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>

#include "gpu/block.cuh"
#include "beamform/kernels/compress_f32/compress_f32_inline.h"
#include "beamform/kernels/signal_cuda.h"

#define THREADS 256
#define QUICK_DB 300 /* powers below 2^-126 have lost bits: -379 dB */
#define QUADS 2      /* a thread's, on their way at once */

typedef enum result { MAGNITUDE, DECIBELS, GRAY, QUICK_GRAY } result;

/* The part of an array that is one frame: values [first, first + n), of which n_quads times four,
 * `head` values after the first, begin at multiples of four. */
typedef struct frame_part {
    int64_t first, head, n_quads, n_rest;
} frame_part;

__device__ static frame_part part_of(int64_t frame, int64_t n, bool aligned)
{
    const int64_t first = frame * n, from = (first + 3) / 4, to = (first + n) / 4;
    const int64_t n_quads = aligned && to > from ? to - from : 0;
    return {first, n_quads ? 4 * from - first : n, n_quads, n - 4 * n_quads};
}

/* The k-th of the values that are in no quad. */
__device__ static int64_t rest_of(const frame_part *p, int64_t k)
{
    return p->first + (k < p->head ? k : 4 * p->n_quads + k);
}

/* Squares are exact in double, so that fusing changes no bit of their sum. */
__device__ static double square(float re, float im)
{
    return fma((double)re, (double)re, (double)im * (double)im);
}

__device__ static float magnitude(float re, float im)
{
    return (float)sqrt(square(re, im));
}

/* Four values as they lie in memory. */
template <bool IS_COMPLEX> struct quad {
    float4 part[IS_COMPLEX ? 2 : 1];
};

template <bool IS_COMPLEX> __device__ static quad<IS_COMPLEX> load_quad(const float *in, int64_t i)
{
    const int n = IS_COMPLEX ? 2 : 1;
    quad<IS_COMPLEX> q;
    for (int k = 0; k < n; k++)
        q.part[k] = ((const float4 *)in)[n * i + k];
    return q;
}

typedef struct scale_of {
    float maximum, floor_db, gray; /* gray levels a decibel */
    float up, inverse;             /* QUICK_GRAY: x up inverse is x / maximum */
} scale_of;

__device__ static scale_of scale_to(float maximum, float range_db, float gray)
{
    const float up = maximum < 0x1p-60f ? 0x1p60f : 1; /* the inverse is finite */
    return {maximum, -range_db, gray, up, 1 / (maximum * up)};
}

/* log2 of r in (0, 1]; rounding by rounding as compress_f32_plain has it. */
__device__ static float octaves(float r)
{
    r = r > FLT_MIN ? r : FLT_MIN; /* NaN, too */
    r = r < 1 ? r : 1;
    const int32_t octave = (int32_t)(__float_as_uint(r) - SAC_SQRT_HALF) >> 23;
    const float t = __uint_as_float(__float_as_uint(r) - ((uint32_t)octave << 23)) - 1;
    return fmaf(t, sac_log2_over(t), (float)octave);
}

__device__ static float decibels(float x, const scale_of *s)
{
    const float d = SAC_DB_PER_OCTAVE * octaves(x / s->maximum);
    return d > s->floor_db ? d : s->floor_db;
}

/* Decibels of a power, whose root need not be taken. */
__device__ static float quick_decibels(float re, float im, const scale_of *s)
{
    const float x = re * s->up * s->inverse, y = im * s->up * s->inverse;
    const float d = SAC_DB_PER_OCTAVE / 2 * octaves(fmaf(x, x, y * y));
    return d > s->floor_db ? d : s->floor_db;
}

template <result RESULT> __device__ static float finish(float x, const scale_of *s)
{
    if (RESULT == MAGNITUDE)
        return x;
    const float db = decibels(x, s);
    return RESULT == GRAY ? fmaf(db, s->gray, 255) : db;
}

template <result RESULT> __device__ static float finish(float re, float im, const scale_of *s)
{
    return RESULT == QUICK_GRAY ? fmaf(quick_decibels(re, im, s), s->gray, 255)
                                : finish<RESULT>(magnitude(re, im), s);
}

template <result RESULT>
__device__ static float4 finish_quad(const quad<false> *q, const scale_of *s)
{
    const float4 v = q->part[0];
    return make_float4(finish<RESULT>(v.x, s), finish<RESULT>(v.y, s), finish<RESULT>(v.z, s),
                       finish<RESULT>(v.w, s));
}

template <result RESULT>
__device__ static float4 finish_quad(const quad<true> *q, const scale_of *s)
{
    const float4 a = q->part[0], b = q->part[1];
    return make_float4(finish<RESULT>(a.x, a.y, s), finish<RESULT>(a.z, a.w, s),
                       finish<RESULT>(b.x, b.y, s), finish<RESULT>(b.z, b.w, s));
}

template <result RESULT, bool IS_COMPLEX>
__device__ static float finish_one(const float *in, int64_t i, const scale_of *s)
{
    return IS_COMPLEX ? finish<RESULT>(in[2 * i], in[2 * i + 1], s) : finish<RESULT>(in[i], s);
}

__device__ static uint32_t level(float gray)
{
    return (uint32_t)(gray + 0.5f); /* 0 to 255 */
}

template <result RESULT> __device__ static void store(void *out, int64_t i, float x)
{
    if (RESULT >= GRAY)
        ((uint8_t *)out)[i] = (uint8_t)level(x);
    else
        ((float *)out)[i] = x;
}

template <result RESULT> __device__ static void store_quad(void *out, int64_t i, float4 v)
{
    if (RESULT >= GRAY)
        ((uint32_t *)out)[i] = level(v.x) | level(v.y) << 8 | level(v.z) << 16 | level(v.w) << 24;
    else
        ((float4 *)out)[i] = v;
}

/* `blocks` of them to a frame. */
template <result RESULT, bool IS_COMPLEX>
__global__ void __launch_bounds__(THREADS)
    map_values(void *out, const float *in, const float *maximum, int64_t n, uint32_t blocks,
               bool aligned, float range_db, float gray)
{
    const int64_t frame = blockIdx.x / blocks, step = (int64_t)blocks * THREADS;
    const int64_t thread = (int64_t)(blockIdx.x % blocks) * THREADS + threadIdx.x;
    const scale_of s = scale_to(RESULT == MAGNITUDE ? 1 : maximum[frame], range_db, gray);
    const frame_part p = part_of(frame, n, aligned);
    const int64_t first = (p.first + p.head) / 4;
    for (int64_t k = thread; k < p.n_quads; k += QUADS * step) {
        quad<IS_COMPLEX> q[QUADS];
#pragma unroll
        for (int j = 0; j < QUADS; j++)
            if (k + j * step < p.n_quads)
                q[j] = load_quad<IS_COMPLEX>(in, first + k + j * step);
#pragma unroll
        for (int j = 0; j < QUADS; j++)
            if (k + j * step < p.n_quads) {
                const float4 v = finish_quad<RESULT>(&q[j], &s);
                store_quad<RESULT>(out, first + k + j * step, v);
            }
    }
    for (int64_t k = thread; k < p.n_rest; k += step) {
        const int64_t i = rest_of(&p, k);
        store<RESULT>(out, i, finish_one<RESULT, IS_COMPLEX>(in, i, &s));
    }
}

/* The largest so far: of real values themselves, of complex ones their square in double, whose root
 * is taken once at the end. */
__device__ static void add_value(float *most, float x)
{
    if (x > *most && x <= FLT_MAX)
        *most = x;
}

__device__ static void add_value(double *most, float re, float im)
{
    const double x = square(re, im);
    /* Of magnitudes from 2^127 on, some are infinite when rounded. */
    if (x > *most && (x < 0x1p254 || (float)sqrt(x) <= FLT_MAX))
        *most = x;
}

__device__ static void add_quad(float *most, const quad<false> *q)
{
    const float4 v = q->part[0];
    add_value(most, v.x);
    add_value(most, v.y);
    add_value(most, v.z);
    add_value(most, v.w);
}

__device__ static void add_quad(double *most, const quad<true> *q)
{
    for (int k = 0; k < 2; k++) {
        add_value(most, q->part[k].x, q->part[k].y);
        add_value(most, q->part[k].z, q->part[k].w);
    }
}

__device__ static void add_one(float *most, const float *in, int64_t i)
{
    add_value(most, in[i]);
}

__device__ static void add_one(double *most, const float *in, int64_t i)
{
    add_value(most, in[2 * i], in[2 * i + 1]);
}

__device__ static float root_of(float most)
{
    return most;
}

__device__ static float root_of(double most)
{
    return (float)sqrt(most);
}

/* NUMBER is float for real values, double for complex ones. Bits of floats that are not negative
 * are in the order of the floats. */
template <typename NUMBER, bool IS_COMPLEX>
__global__ void __launch_bounds__(THREADS)
    find_maximum(float *maximum, const float *in, int64_t n, uint32_t blocks, bool aligned)
{
    __shared__ uint32_t of_block;
    const int64_t frame = blockIdx.x / blocks, step = (int64_t)blocks * THREADS;
    const int64_t thread = (int64_t)(blockIdx.x % blocks) * THREADS + threadIdx.x;
    const frame_part p = part_of(frame, n, aligned);
    const int64_t first = (p.first + p.head) / 4;
    NUMBER most = 0;
    if (threadIdx.x == 0)
        of_block = 0;
    __syncthreads();
#pragma unroll 2
    for (int64_t k = thread; k < p.n_quads; k += step) {
        const quad<IS_COMPLEX> q = load_quad<IS_COMPLEX>(in, first + k);
        add_quad(&most, &q);
    }
    for (int64_t k = thread; k < p.n_rest; k += step)
        add_one(&most, in, rest_of(&p, k));
    uint32_t bits = __float_as_uint(root_of(most));
    for (int lanes = SAC_WARP / 2; lanes > 0; lanes /= 2)
        bits = max(bits, __shfl_xor_sync(SAC_ALL_LANES, bits, lanes));
    if (threadIdx.x % SAC_WARP == 0)
        atomicMax(&of_block, bits);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax((uint32_t *)maximum + frame, of_block);
}

/* Blocks to a frame: each thread's quads once, but no more blocks in all than a grid may have. */
static uint32_t blocks_of(int64_t n_frames, int64_t n)
{
    const int64_t wanted = (n + 4 * QUADS * THREADS - 1) / (4 * QUADS * THREADS);
    const int64_t most = INT32_MAX / n_frames;
    return (uint32_t)(wanted < most ? wanted : most);
}

static bool is_aligned(const void *memory, uintptr_t size)
{
    return (uintptr_t)memory % size == 0;
}

template <result RESULT, bool IS_COMPLEX>
static sac_status launch(sac_gpu_stream stream, void *out, const float *in, const float *maximum,
                         int64_t n_frames, int64_t n, float range_db)
{
    if (n_frames == 0 || n == 0)
        return SAC_OK;
    const uint32_t blocks = blocks_of(n_frames, n);
    const bool aligned = is_aligned(in, 16) && is_aligned(out, RESULT >= GRAY ? 4 : 16);
    map_values<RESULT, IS_COMPLEX><<<(uint32_t)n_frames * blocks, THREADS, 0, stream>>>(
        out, in, maximum, n, blocks, aligned, range_db, 255 / range_db);
    return sac_cuda_launched();
}

extern "C" sac_status sac_envelope_c64_cuda(sac_gpu_stream stream, float *out, const float *in,
                                            int64_t n)
{
    return launch<MAGNITUDE, true>(stream, out, in, NULL, 1, n, 1);
}

extern "C" sac_status sac_compress_f32_cuda(sac_gpu_stream stream, void *out, bool gray,
                                            const float *in, bool is_complex, const float *maximum,
                                            int64_t n_frames, int64_t n, float range_db)
{
    if (gray && is_complex && range_db <= QUICK_DB)
        return launch<QUICK_GRAY, true>(stream, out, in, maximum, n_frames, n, range_db);
    if (gray && is_complex)
        return launch<GRAY, true>(stream, out, in, maximum, n_frames, n, range_db);
    if (gray)
        return launch<GRAY, false>(stream, out, in, maximum, n_frames, n, range_db);
    if (is_complex)
        return launch<DECIBELS, true>(stream, out, in, maximum, n_frames, n, range_db);
    return launch<DECIBELS, false>(stream, out, in, maximum, n_frames, n, range_db);
}

extern "C" sac_status sac_maximum_f32_cuda(sac_gpu_stream stream, float *maximum, const float *in,
                                           bool is_complex, int64_t n_frames, int64_t n)
{
    if (cudaMemsetAsync(maximum, 0, (size_t)n_frames * sizeof *maximum, stream) != cudaSuccess)
        return sac_cuda_launched();
    if (n_frames == 0 || n == 0)
        return SAC_OK;
    const uint32_t blocks = blocks_of(n_frames, n), grid = (uint32_t)n_frames * blocks;
    const bool aligned = is_aligned(in, 16);
    if (is_complex)
        find_maximum<double, true><<<grid, THREADS, 0, stream>>>(maximum, in, n, blocks, aligned);
    else
        find_maximum<float, false><<<grid, THREADS, 0, stream>>>(maximum, in, n, blocks, aligned);
    return sac_cuda_launched();
}
