/*
 * temporal_u8 on a GPU: four samples a thread and step, the table in shared memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "gpu/early.cuh"
#include "motion/kernels/filters_cuda.h"

#define THREADS 256
#define LEVELS 256
#define MOST_BLOCKS 65536

/* s', of which out is the rounded 256th part. */
__device__ static uint32_t step(uint32_t x, uint32_t s, const uint32_t *keep)
{
    x <<= 8;
    const uint32_t m = s > x ? s - x : x - s, r = keep[(m + 128) >> 8] * m >> 16;
    return s > x ? x + r : x - r;
}

__device__ static uint32_t rounded(uint32_t s)
{
    return (s + 128) >> 8;
}

__device__ static void load_table(uint32_t *to, const uint16_t *keep)
{
    for (uint32_t i = sac_thread(); i < LEVELS; i += THREADS)
        to[i] = keep[i];
    __syncthreads();
}

/* Packed rows of `width` samples, a multiple of 4, that begin at multiples of 4 bytes. */
__global__ void __launch_bounds__(THREADS)
    temporal_words(const sac_samples out, uint16_t *state, const sac_samples in,
                   const uint16_t *keep, uint32_t width)
{
    __shared__ uint32_t table[LEVELS];
    sac_wait_for_stream();
    load_table(table, keep);
    const uint32_t words = width / 4;
    for (int64_t y = blockIdx.y; y < in.h; y += gridDim.y)
        for (uint32_t i = blockIdx.x * THREADS + sac_thread(); i < words;
             i += gridDim.x * THREADS) {
            const uint32_t x = *(const uint32_t *)(in.data + y * in.row + 4 * (int64_t)i);
            uint2 *at = (uint2 *)(state + y * width) + i;
            const uint2 s = *at;
            const uint32_t a = step(x & 255, s.x & 0xffff, table);
            const uint32_t b = step(x >> 8 & 255, s.x >> 16, table);
            const uint32_t c = step(x >> 16 & 255, s.y & 0xffff, table);
            const uint32_t d = step(x >> 24, s.y >> 16, table);
            *at = make_uint2(a | b << 16, c | d << 16);
            *(uint32_t *)(out.data + y * out.row + 4 * (int64_t)i) =
                rounded(a) | rounded(b) << 8 | rounded(c) << 16 | rounded(d) << 24;
        }
}

/* Any layout, a sample a thread. */
__global__ void __launch_bounds__(THREADS)
    temporal_samples(const sac_samples out, uint16_t *state, const sac_samples in,
                     const uint16_t *keep)
{
    __shared__ uint32_t table[LEVELS];
    sac_wait_for_stream();
    load_table(table, keep);
    const int64_t width = in.w * in.n_channels, n = width * in.h;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + sac_thread(); i < n;
         i += (int64_t)gridDim.x * THREADS) {
        const int64_t y = i / width, s = i - y * width, x = s / in.n_channels;
        const int64_t c = s - x * in.n_channels;
        const uint32_t now =
            step(in.data[y * in.row + x * in.pixel + c * in.channel], state[i], table);
        state[i] = (uint16_t)now;
        out.data[y * out.row + x * out.pixel + c * out.channel] = (uint8_t)rounded(now);
    }
}

static bool is_words(const sac_samples *p)
{
    return p->pixel == p->n_channels && (p->n_channels == 1 || p->channel == 1) &&
           (uintptr_t)p->data % 4 == 0 && (p->h == 1 || p->row % 4 == 0) &&
           p->w * p->n_channels % 4 == 0 && p->w * p->n_channels <= INT32_MAX;
}

static sac_status run(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_samples *out,
                      uint16_t *state, const sac_samples *in, const uint16_t *keep)
{
    (void)shape;
    const int64_t width = in->w * in->n_channels;
    if (is_words(out) && is_words(in) && (uintptr_t)state % 8 == 0) {
        const dim3 grid((unsigned)((width / 4 + THREADS - 1) / THREADS),
                        (unsigned)(in->h < 65535 ? in->h : 65535));
        return sac_launch_early(stream, grid, THREADS, temporal_words, *out, state, *in, keep,
                                (uint32_t)width);
    }
    const int64_t blocks = (width * in->h + THREADS - 1) / THREADS;
    const dim3 grid((unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS));
    return sac_launch_early(stream, grid, THREADS, temporal_samples, *out, state, *in, keep);
}

extern "C" const sac_variant sac_temporal_u8_cuda[] = {
    {"words", 0, true, SAC_FN(sac_temporal_u8_cuda_fn, run)},
    {NULL, 0, false, NULL},
};
