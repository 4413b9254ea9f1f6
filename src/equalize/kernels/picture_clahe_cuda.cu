/*
 * CLAHE in three launches: the tiles' histograms, their levels (one block a tile), the picture.
 * src/equalize/clahe.c says what is computed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/clahe_cells.cuh"
#include "equalize/kernels/picture_cuda.h"
#include "room/variant_cuda.h"

#define THREADS 256
#define LEVEL_THREADS 1024
#define MAX_GRID_Y 65535
#define U8_VALUES 256

/* Where tile t of n begins on an axis of `size` pixels. */
__device__ static int64_t tile_start(int64_t size, int32_t t, int32_t n)
{
    return size * t / n;
}

typedef struct region {
    int64_t x, y, w, h;
} region;

__device__ static region tile_region(const sac_equalize_cuda &t, int64_t w, int64_t h, int32_t tile)
{
    const int32_t tx = tile % t.tiles_x, ty = tile / t.tiles_x;
    region r = {tile_start(w, tx, t.tiles_x), tile_start(h, ty, t.tiles_y), 0, 0};
    r.w = tile_start(w, tx + 1, t.tiles_x) - r.x;
    r.h = tile_start(h, ty + 1, t.tiles_y) - r.y;
    return r;
}

__device__ static void add(uint64_t *to, uint64_t n)
{
    atomicAdd((unsigned long long *)to, (unsigned long long)n);
}

/* V of the tile's pixels; blockIdx.x of gridDim.x share a tile. 8-bit values are counted in shared
 * memory, a table a warp. */
template <typename T>
__device__ static void count_tile(const sac_equalize_cuda &t, const sac_pixels &in, int32_t tile,
                                  uint32_t *table)
{
    const bool u8 = sizeof(T) == 1;
    const region r = tile_region(t, in.w, in.h, tile);
    uint64_t *counts = t.tile_counts + (int64_t)tile * t.bins;
    uint32_t *own = table + threadIdx.x / SAC_WARP * U8_VALUES;
    for (uint32_t i = threadIdx.x; u8 && i < THREADS / SAC_WARP * U8_VALUES; i += THREADS)
        table[i] = 0;
    __syncthreads();
    const int64_t step = (int64_t)gridDim.x * THREADS;
    sac_pixels part = in;
    part.w = r.w;
    part.h = r.h;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < r.w * r.h; i += step) {
        int64_t x, y;
        sac_place(&x, &y, part, i);
        const uint32_t v = sac_value<T>(in, r.x + x, r.y + y);
        if (u8)
            atomicAdd(&own[v], 1u);
        else
            add(&counts[(uint64_t)v * (uint64_t)t.bins >> 16], 1);
    }
    __syncthreads();
    for (uint32_t v = threadIdx.x; u8 && v < U8_VALUES; v += THREADS) {
        uint64_t sum = 0;
        for (int k = 0; k < THREADS / SAC_WARP; k++)
            sum += table[k * U8_VALUES + v];
        if (sum > 0)
            add(&counts[(uint64_t)v * (uint64_t)t.bins >> 8], sum);
    }
    __syncthreads();
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    count_tiles(const __grid_constant__ sac_equalize_cuda t, const __grid_constant__ sac_pixels in)
{
    __shared__ uint32_t table[sizeof(T) == 1 ? THREADS / SAC_WARP * U8_VALUES : 1];
    for (int32_t tile = (int32_t)blockIdx.y; tile < t.tiles_x * t.tiles_y; tile += gridDim.y)
        count_tile<T>(t, in, tile, table);
}

/* What clipping does to a tile's counts. */
typedef struct clipping {
    uint64_t limit, each, rest, step; /* limit 0: nothing */
} clipping;

__device__ static clipping clip_of(const sac_equalize_cuda &t, const uint64_t *counts,
                                   uint64_t pixels, uint64_t *sums)
{
    clipping c = {0, 0, 0, 1};
    const double limit = floor(t.clip * (double)pixels / t.bins);
    if (!(t.clip > 0 && limit < (double)pixels))
        return c;
    c.limit = limit > 1 ? (uint64_t)limit : 1;
    uint64_t excess = 0, total;
    for (int32_t b = (int32_t)threadIdx.x; b < t.bins; b += LEVEL_THREADS)
        excess += counts[b] > c.limit ? counts[b] - c.limit : 0;
    sac_block_scan(&total, excess, sums);
    c.each = total / (uint64_t)t.bins;
    c.rest = total % (uint64_t)t.bins;
    c.step = c.rest ? (uint64_t)t.bins / c.rest : 1;
    __syncthreads();
    return c;
}

__device__ static uint64_t clipped(clipping c, uint64_t count, uint64_t b)
{
    if (c.limit == 0)
        return count;
    return min(count, c.limit) + c.each + (b % c.step == 0 && b / c.step < c.rest);
}

/* One block a tile; leaves its counts at zero. */
__global__ void __launch_bounds__(LEVEL_THREADS, 1)
    make_levels(const __grid_constant__ sac_equalize_cuda t, int64_t w, int64_t h)
{
    __shared__ uint64_t sums[SAC_WARP + 1];
    const uint64_t max = (UINT64_C(1) << t.depth) - 1;
    const region r = tile_region(t, w, h, (int32_t)blockIdx.x);
    const uint64_t pixels = (uint64_t)(r.w * r.h);
    uint64_t *counts = t.tile_counts + (int64_t)blockIdx.x * t.bins, carry = 0;
    uint32_t *level = t.level + (int64_t)blockIdx.x * t.bins;
    const clipping c = clip_of(t, counts, pixels, sums);
    for (int32_t b = (int32_t)threadIdx.x; b - (int32_t)threadIdx.x < t.bins; b += LEVEL_THREADS) {
        const uint64_t count = b < t.bins ? counts[b] : 0;
        uint64_t total;
        const uint64_t mine = b < t.bins ? clipped(c, count, (uint64_t)b) : 0;
        const uint64_t sum = carry + sac_block_scan(&total, mine, sums);
        carry += total;
        __syncthreads();
        if (b >= t.bins)
            continue;
        const int64_t now = (int64_t)((max << SAC_CLAHE_LEVEL_BITS) * sum / pixels);
        level[b] = (uint32_t)(level[b] + (now - level[b]) * t.follow / 65536);
        if (count > 0)
            add(&t.counts[b], count);
        counts[b] = 0;
    }
}

/* The picture, from the levels. */
static sac_status scale(sac_gpu_stream stream, const sac_pixels *out, const sac_pixels *in,
                        const sac_equalize_cuda *t)
{
    sac_clahe c = {};
    c.bins = t->bins;
    c.tiles_x = t->tiles_x;
    c.tiles_y = t->tiles_y;
    c.w = in->w;
    c.h = in->h;
    c.level = t->level;
    c.column = t->column;
    return t->depth == 8
               ? sac_clahe_cells_launch(stream, NULL, out, in, &c)
               : sac_clahe_launch<uint16_t, sac_clahe_reciprocal>(stream, NULL, out, in, &c);
}

static unsigned at_most(int64_t n, int64_t limit)
{
    return (unsigned)(n < limit ? n : limit);
}

template <typename T>
static sac_status equalize_clahe(sac_gpu_stream stream, const sac_pixels *out, const sac_pixels *in,
                                 const sac_equalize_cuda *t)
{
    const int64_t n_tiles = (int64_t)t->tiles_x * t->tiles_y;
    const int64_t shares = (8 * (int64_t)t->n_multiprocessors + n_tiles - 1) / n_tiles;
    const int64_t needed = (in->w * in->h / n_tiles + THREADS - 1) / THREADS + 1;
    if (cudaMemsetAsync(t->counts, 0, (size_t)t->bins * sizeof *t->counts, stream) != cudaSuccess)
        return sac_cuda_launched();
    count_tiles<T>
        <<<dim3(at_most(shares, needed), at_most(n_tiles, MAX_GRID_Y)), THREADS, 0, stream>>>(*t,
                                                                                              *in);
    sac_status status = sac_cuda_launched();
    make_levels<<<(unsigned)n_tiles, LEVEL_THREADS, 0, stream>>>(*t, in->w, in->h);
    status = status ? status : sac_cuda_launched();
    return status ? status : scale(stream, out, in, t);
}

extern "C" sac_status sac_equalize_clahe_u8_cuda(sac_gpu_stream stream, const sac_pixels *out,
                                                 const sac_pixels *in, const sac_equalize_cuda *t)
{
    return equalize_clahe<uint8_t>(stream, out, in, t);
}

extern "C" sac_status sac_equalize_clahe_u16_cuda(sac_gpu_stream stream, const sac_pixels *out,
                                                  const sac_pixels *in, const sac_equalize_cuda *t)
{
    return equalize_clahe<uint16_t>(stream, out, in, t);
}
