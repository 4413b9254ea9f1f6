/*
 * heat_u8 on a GPU: the sums of differences of a word's bytes by dot products, colors from a table
 * in shared memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/early.cuh"
#include "gpu/launch.cuh"
#include "motion/kernels/pairs.cuh"

/* d of pixel i of a unit, from the differences of its bytes; i is a constant once the loop around
 * is unrolled. */
template <int KIND> __device__ static inline uint32_t sum_of(const uint32_t *differ, int i)
{
    if (KIND == SAC_UNITS_GRAY)
        return __dp4a(differ[i / 4], 3u << i % 4 * 8, 0u);
    if (KIND == SAC_UNITS_RGBA)
        return __dp4a(differ[i], 0x00010101u, 0u);
    if (KIND == SAC_UNITS_PLANES) {
        const uint32_t one = 1u << i % 4 * 8;
        return __dp4a(differ[i / 4], one,
                      __dp4a(differ[4 + i / 4], one, __dp4a(differ[8 + i / 4], one, 0u)));
    }
    const uint32_t *word = differ + i / 4 * 3;
    switch (i % 4) { /* bytes 3 i to 3 i + 2 */
    case 0:
        return __dp4a(word[0], 0x00010101u, 0u);
    case 1:
        return __dp4a(word[0], 0x01000000u, __dp4a(word[1], 0x00000101u, 0u));
    case 2:
        return __dp4a(word[1], 0x01010000u, __dp4a(word[2], 0x00000001u, 0u));
    default:
        return __dp4a(word[2], 0x01010100u, 0u);
    }
}

/* This lane's unit. Both tiles may be the same memory. */
template <int IN, int OUT>
__device__ static inline void draw_unit(uint4 *out, const uint4 *current, const uint4 *previous,
                                        const uint32_t *colors)
{
    uint32_t differ[4 * sac_unit<IN>::QUADS], was[4 * sac_unit<IN>::QUADS];
    uint32_t pixel[SAC_UNIT_PIXELS], word[4 * sac_unit<OUT>::QUADS];
    sac_unit_read<IN>(differ, current);
    sac_unit_read<IN>(was, previous);
#pragma unroll
    for (int k = 0; k < 4 * sac_unit<IN>::QUADS; k++)
        differ[k] = sac_absd4(differ[k], was[k]);
#pragma unroll
    for (int i = 0; i < SAC_UNIT_PIXELS; i++)
        pixel[i] = colors[sum_of<IN>(differ, i)];
    sac_unit_pack<OUT>(word, pixel);
    __syncwarp();
    sac_unit_write<OUT>(out, word);
    __syncwarp();
}

/* What no unit holds: of each row the end, or all; this thread's pixels of a pair. */
__device__ static void draw_rest(const sac_alike &all, const sac_shift &by, const uint32_t *table,
                                 int64_t first, int64_t step)
{
    const sac_pixels &out = all.out_units.rest, &current = all.current_units.rest;
    const sac_pixels &previous = all.previous_units.rest;
    const int64_t n = out.w * out.h;
    for (int64_t i = first; i < n; i += step) {
        int64_t x, y;
        sac_place(&x, &y, out, i);
        uint32_t d = 0;
        for (int c = 0; c < current.n_colors; c++)
            d += abs((int)*sac_sample_by(current, by.current, c, x, y) -
                     (int)*sac_sample_by(previous, by.previous, c, x, y));
        const uint32_t color = table[current.n_colors == 1 ? 3 * d : d];
        for (int c = 0; c < 3; c++)
            *sac_sample_by(out, by.out, c, x, y) = (uint8_t)(color >> 8 * c);
        if (out.alpha)
            *sac_alpha_by(out, by.out, x, y) = 255;
    }
}

__global__ void __launch_bounds__(SAC_PAIR_THREADS)
    heat_pixels(const __grid_constant__ sac_alike all, const uint32_t *table)
{
    sac_wait_for_stream();
    draw_rest(all, all.shift[blockIdx.y], table,
              (int64_t)blockIdx.x * SAC_PAIR_THREADS + threadIdx.x,
              (int64_t)gridDim.x * SAC_PAIR_THREADS);
}

/* One pair, by a launch of any shape. */
__global__ void heat_pair(const __grid_constant__ sac_alike all, const uint32_t *table)
{
    draw_rest(all, all.shift[0], table, sac_grid_thread(), sac_grid_threads());
}

/* `order`: of each byte of a pixel in memory, which byte of the table's words it is. */
template <int IN, int OUT>
__global__ void __launch_bounds__(SAC_PAIR_THREADS)
    heat_units(const __grid_constant__ sac_alike all, const uint32_t *table, uint32_t order)
{
    enum { FRAME = sac_unit<IN>::TILE, PICTURE = sac_unit<OUT>::TILE };
    __shared__ uint4 tiles[SAC_PAIR_WARPS][2 * FRAME > PICTURE ? 2 * FRAME : PICTURE];
    __shared__ uint32_t colors[SAC_HEAT_WORDS];
    uint4 *tile = tiles[threadIdx.x / SAC_WARP];
    const sac_shift by = all.shift[blockIdx.y];
    const int64_t t = (int64_t)blockIdx.x * SAC_PAIR_WARPS + threadIdx.x / SAC_WARP;
    const bool is_there = t * SAC_WARP < all.current_units.n;
    for (uint32_t i = threadIdx.x; i < SAC_HEAT_WORDS; i += SAC_PAIR_THREADS)
        colors[i] = __byte_perm(table[i], 0, order);
    __syncthreads();
    sac_wait_for_stream();
    if (is_there) {
        sac_tile_load<IN>(tile, all.current_units, t, by.current);
        sac_tile_load<IN>(tile + FRAME, all.previous_units, t, by.previous);
    }
    __pipeline_commit();
    sac_let_next_begin();
    __pipeline_wait_prior(0);
    __syncwarp();
    if (is_there) {
        draw_unit<IN, OUT>(tile, tile, tile + FRAME, colors);
        sac_tile_store<OUT>(all.out_units, t, tile, by.out);
    }
    draw_rest(all, by, table, (int64_t)blockIdx.x * SAC_PAIR_THREADS + threadIdx.x,
              (int64_t)gridDim.x * SAC_PAIR_THREADS);
}

/* Of a packed picture, the bytes' order in a pixel; else as in the table. */
static uint32_t order_of(const sac_pixels *out, sac_kind kind)
{
    if (kind != SAC_UNITS_RGB && kind != SAC_UNITS_RGBA)
        return 0x3210;
    uint32_t order = 0x3000;
    for (int c = 0; c < 3; c++)
        order |= (uint32_t)c << 4 * sac_pixels_place(out, c);
    return order;
}

typedef void (*units_kernel)(sac_alike all, const uint32_t *table, uint32_t order);

template <int IN> static units_kernel kernel_to(sac_kind out)
{
    return out == SAC_UNITS_RGB    ? (units_kernel)heat_units<IN, SAC_UNITS_RGB>
           : out == SAC_UNITS_RGBA ? (units_kernel)heat_units<IN, SAC_UNITS_RGBA>
                                   : (units_kernel)heat_units<IN, SAC_UNITS_PLANES>;
}

static units_kernel kernel_of(sac_kind frames, sac_kind out)
{
    return frames == SAC_UNITS_GRAY   ? kernel_to<SAC_UNITS_GRAY>(out)
           : frames == SAC_UNITS_RGB  ? kernel_to<SAC_UNITS_RGB>(out)
           : frames == SAC_UNITS_RGBA ? kernel_to<SAC_UNITS_RGBA>(out)
                                      : kernel_to<SAC_UNITS_PLANES>(out);
}

static sac_status launch(sac_gpu_stream stream, const sac_alike &a, sac_kind frames, sac_kind out,
                         int32_t n, const uint32_t *table)
{
    const dim3 grid = sac_pair_grid(&a, frames, n);
    if (frames == SAC_UNITS_NONE)
        return sac_launch_early(stream, grid, SAC_PAIR_THREADS, heat_pixels, a, table);
    return sac_launch_early(stream, grid, SAC_PAIR_THREADS, kernel_of(frames, out), a, table,
                            order_of(&a.out, out));
}

extern "C" sac_status sac_heat_u8_pairs(sac_gpu_stream stream, const sac_pair *pairs, int32_t n,
                                        const uint32_t *table)
{
    sac_status status = SAC_OK;
    for (int32_t done = 0; done < n && status == SAC_OK;) {
        sac_alike a;
        sac_kind frames, out;
        const int32_t k = sac_pairs_alike(&a, &frames, &out, pairs + done, n - done, false);
        status = launch(stream, a, frames, out, k, table);
        done += k;
    }
    return status;
}

static sac_status run_units(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_pair *pair,
                            const uint32_t *table)
{
    (void)shape; /* a warp a tile */
    return sac_heat_u8_pairs(stream, pair, 1, table);
}

static sac_status run_pixels(sac_gpu_stream stream, const sac_gpu_shape *shape,
                             const sac_pair *pair, const uint32_t *table)
{
    const sac_launch l = sac_launch_of(shape, pair->out.w * pair->out.h);
    sac_alike a;
    sac_pairs_by_pixels(&a, pair);
    heat_pair<<<l.grid, l.block, 0, stream>>>(a, table);
    return sac_cuda_launched();
}

extern "C" const sac_variant sac_heat_u8_cuda[] = {
    {"pixels", 0, false, SAC_FN(sac_heat_u8_cuda_fn, run_pixels)},
    {"units", 0, true, SAC_FN(sac_heat_u8_cuda_fn, run_units)},
    {NULL, 0, false, NULL},
};
