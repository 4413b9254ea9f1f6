/*
 * A filter of a window on a GPU. A block's part of the picture, and what the window reaches around
 * it, comes into shared memory, borders reflected and channels side by side, whatever the layout.
 * A thread works down a column of four samples, as two words of two 16-bit values, and keeps what
 * it made of the rows that the window still covers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_FILTERS_CUH
#define SAC_MOTION_FILTERS_CUH

#include <cuda_pipeline_primitives.h>

#include "gpu/block.cuh"
#include "gpu/early.cuh"
#include "motion/kernels/filters_cuda.h"

#define SAC_PART_W 256  /* samples of a block, across */
#define SAC_PART_H 32   /* and rows */
#define SAC_PART_PAD 16 /* samples on either side: as many as a vector load has */
#define SAC_PART_ROWS 8 /* of a thread */
#define SAC_PART_PITCH (SAC_PART_W + 2 * SAC_PART_PAD)
#define SAC_PART_MOST (SAC_PART_H + 4) /* rows in shared memory */
#define SAC_PART_THREADS (SAC_PART_W / 4 * SAC_PART_H / SAC_PART_ROWS)

/* Two of four samples as 16-bit values: [0] has the first and the third. */
typedef struct sac_halves {
    uint32_t v[2];
} sac_halves;

__device__ inline sac_halves sac_halves_of(uint32_t word)
{
    return {{word & 0x00ff00ff, word >> 8 & 0x00ff00ff}};
}

__device__ inline uint32_t sac_word_of(sac_halves h)
{
    return h.v[0] | h.v[1] << 8;
}

/* Index i of n, reflected without repeating the edge, as often as it takes. */
__device__ inline int64_t sac_reflected(int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (n == 1)
        return 0;
    if (i < 0 ? -i < n : i < 2 * n - 1) /* once, without a division */
        return i < 0 ? -i : 2 * (n - 1) - i;
    const int64_t period = 2 * (n - 1);
    i = (i % period + period) % period;
    return i < n ? i : period - i;
}

/* The sample that is `by` samples before a row's first, by > 0, or behind its last. */
__device__ inline uint8_t sac_sample_beyond(const sac_samples &in, int64_t row, int by, bool behind)
{
    const int n = in.n_channels, pixel = (by - 1) / n, channel = (by - 1) % n;
    const int64_t x = behind ? in.w + pixel : -1 - (int64_t)pixel;
    const int c = behind ? channel : n - 1 - channel;
    return in.data[row * in.row + sac_reflected(x, in.w) * in.pixel + c * in.channel];
}

__device__ inline uint8_t sac_sample_at(const sac_samples &in, int64_t row, int64_t s)
{
    const int32_t n = in.n_channels;
    const int64_t x = (uint64_t)s >> 32 ? s / n : (uint32_t)s / (uint32_t)n;
    return in.data[row * in.row + x * in.pixel + (s - x * n) * in.channel];
}

/* What a row's 16 samples from s on have within the picture. */
template <bool VECTORS>
__device__ inline void sac_quad_load(uint8_t *to, const sac_samples &in, int64_t row, int64_t s)
{
    const int64_t width = in.w * in.n_channels;
    if (VECTORS && s >= 0 && s + 16 <= width)
        __pipeline_memcpy_async(to, in.data + row * in.row + s, 16);
    else
        for (int j = 0; j < 16; j++)
            if (s + j >= 0 && s + j < width)
                to[j] = VECTORS ? in.data[row * in.row + s + j] : sac_sample_at(in, row, s + j);
}

/* Rows y - radius to y + SAC_PART_H + radius - 1, samples x to x + SAC_PART_W - 1 and what windows
 * reach beside them. VECTORS: rows are packed, and begin at multiples of 16 bytes. All threads
 * call.
 */
template <bool VECTORS>
__device__ inline void sac_part_load(uint8_t *part, const sac_samples &in, int64_t x, int64_t y,
                                     int radius)
{
    enum { QUADS = SAC_PART_PITCH / 16 };
    const int rows = SAC_PART_H + 2 * radius, reach = radius * in.n_channels;
    const int64_t width = in.w * in.n_channels;
    for (int i = (int)threadIdx.x; i < rows * QUADS; i += SAC_PART_THREADS) {
        const int k = i / QUADS, q = i - k * QUADS;
        sac_quad_load<VECTORS>(part + k * SAC_PART_PITCH + 16 * q, in,
                               sac_reflected(y + k - radius, in.h), x + 16 * q - SAC_PART_PAD);
    }
    __pipeline_commit();
    sac_let_next_begin();
    for (int side = 0; side < 2; side++) { /* beyond the picture's edges, in blocks that see them */
        const bool behind = side;
        if (behind ? x + SAC_PART_W + reach <= width : x > 0)
            continue;
        for (int i = (int)threadIdx.x; i < rows * reach; i += SAC_PART_THREADS) {
            const int k = i / reach, by = i - k * reach + 1;
            const int64_t s = (behind ? width - 1 + by : -by) - x + SAC_PART_PAD;
            if (s >= 0 && s < SAC_PART_PITCH)
                part[k * SAC_PART_PITCH + s] =
                    sac_sample_beyond(in, sac_reflected(y + k - radius, in.h), by, behind);
        }
    }
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* A thread's share of a block's parts: samples s to s + 3 of rows y + first to y + first +
 * SAC_PART_ROWS - 1, then `step` rows on. */
typedef struct sac_part_place {
    int64_t x, y, step; /* of the block */
    int64_t s;
    int first;
} sac_part_place;

__device__ inline sac_part_place sac_part_of()
{
    const int64_t x = (int64_t)blockIdx.x * SAC_PART_W;
    return {x, (int64_t)blockIdx.y * SAC_PART_H, (int64_t)gridDim.y * SAC_PART_H,
            x + threadIdx.x % (SAC_PART_W / 4) * 4,
            (int)(threadIdx.x / (SAC_PART_W / 4) * SAC_PART_ROWS)};
}

/* The thread's first word in the first row that its window reaches. */
__device__ inline const uint32_t *sac_part_at(const uint8_t *part, const sac_part_place &p)
{
    return (const uint32_t *)(part + p.first * SAC_PART_PITCH + SAC_PART_PAD) + (p.s - p.x) / 4;
}

/* Four samples that begin `by` before the word at `at`, or behind its beginning; by is 1 to 8. */
__device__ inline uint32_t sac_before(const uint32_t *at, int by)
{
    return by <= 4 ? __funnelshift_r(at[-1], at[0], 32 - 8 * by)
                   : __funnelshift_r(at[-2], at[-1], 64 - 8 * by);
}

__device__ inline uint32_t sac_behind(const uint32_t *at, int by)
{
    return by <= 4 ? __funnelshift_rc(at[0], at[1], 8 * by)
                   : __funnelshift_rc(at[1], at[2], 8 * by - 32);
}

/* A thread's rows of results, a word each, down from its first; none below the picture. */
template <bool VECTORS>
__device__ inline void sac_part_store(const sac_samples &out, const sac_part_place &p, int64_t y,
                                      const uint32_t *word)
{
    const int32_t n = out.n_channels;
    const int64_t left = out.w * n - p.s, first = y + p.first;
    const int rows = out.h - first < SAC_PART_ROWS ? (int)(out.h - first) : SAC_PART_ROWS;
    uint8_t *to = out.data + first * out.row;
    if (VECTORS && left >= 4) {
        to += p.s;
#pragma unroll
        for (int k = 0; k < SAC_PART_ROWS; k++, to += out.row)
            if (k < rows)
                *(uint32_t *)to = word[k];
        return;
    }
    for (int j = 0; j < 4 && j < left; j++) {
        const int64_t x = (p.s + j) / n, at = x * out.pixel + (p.s + j - x * n) * out.channel;
#pragma unroll
        for (int k = 0; k < SAC_PART_ROWS; k++)
            if (k < rows)
                to[k * out.row + at] = (uint8_t)(word[k] >> 8 * j);
    }
}

/*
 * F: RADIUS; a type `line`, what is made of a row's neighbors; `line make(const uint32_t *at, int
 * step)`, of the samples `step` apart around the word at `at`; and `uint32_t join(const line *l)`,
 * a word of results of 2 RADIUS + 1 lines.
 */
template <typename F, bool VECTORS>
__global__ void __launch_bounds__(SAC_PART_THREADS)
    sac_filter_part(const sac_samples out, const sac_samples in, const F f)
{
    enum { N = 2 * F::RADIUS + 1, ROW = SAC_PART_PITCH / 4 };
    __shared__ __align__(16) uint8_t part[SAC_PART_MOST * SAC_PART_PITCH];
    const sac_part_place p = sac_part_of();
    sac_wait_for_stream();
    for (int64_t y = p.y; y < in.h; y += p.step) {
        sac_part_load<VECTORS>(part, in, p.x, y, F::RADIUS);
        const uint32_t *at = sac_part_at(part, p);
        typename F::line line[N + SAC_PART_ROWS - 1];
        uint32_t word[SAC_PART_ROWS];
#pragma unroll
        for (int k = 0; k < N - 1; k++)
            line[k] = f.make(at + k * ROW, in.n_channels);
#pragma unroll
        for (int k = 0; k < SAC_PART_ROWS; k++) {
            line[k + N - 1] = f.make(at + (k + N - 1) * ROW, in.n_channels);
            word[k] = f.join(line + k);
        }
        sac_part_store<VECTORS>(out, p, y, word);
        __syncthreads();
    }
}

/* Host: whether rows are packed and begin at multiples of 16 bytes. */
static inline bool sac_samples_aligned(const sac_samples *p)
{
    return p->pixel == p->n_channels && (p->n_channels == 1 || p->channel == 1) &&
           (uintptr_t)p->data % 16 == 0 && (p->h == 1 || p->row % 16 == 0);
}

#define SAC_MOST_GRID 65535

static inline dim3 sac_part_grid(const sac_samples *in)
{
    const int64_t across = (in->w * in->n_channels + SAC_PART_W - 1) / SAC_PART_W;
    const int64_t down = (in->h + SAC_PART_H - 1) / SAC_PART_H;
    return dim3((unsigned)across, (unsigned)(down < SAC_MOST_GRID ? down : SAC_MOST_GRID));
}

template <typename F>
static inline sac_status sac_filter_launch(sac_gpu_stream stream, const sac_samples *out,
                                           const sac_samples *in, F f)
{
    const bool aligned = sac_samples_aligned(in) && sac_samples_aligned(out);
    return sac_launch_early(stream, sac_part_grid(in), SAC_PART_THREADS,
                            aligned ? sac_filter_part<F, true> : sac_filter_part<F, false>, *out,
                            *in, f);
}

#endif
