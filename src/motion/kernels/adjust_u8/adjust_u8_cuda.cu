/*
 * adjust_u8 on a GPU: a lane takes 16 pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/early.cuh"
#include "motion/kernels/adjust_cuda.h"
#include "motion/kernels/pairs.cuh"

/* The mix, and the luma's weights of a pixel's three colors in the order of memory. */
typedef struct weighted {
    sac_adjust_mix by;
    int weight[3];
} weighted;

__device__ static inline uint32_t mix(const weighted &m, int c, int luma)
{
    const int sum = 128 * m.by.p * c + m.by.q * luma + m.by.o * (1 << (m.by.shift + 2));
    return (uint32_t)min(max(sum >> (m.by.shift + 7), 0), 255);
}

/* Color c of pixel i of a unit; both are constants once the loops around are unrolled. */
template <int KIND> __device__ static inline int color_of(const uint32_t *word, int i, int c)
{
    const int k = KIND == SAC_UNITS_PLANES ? c * SAC_UNIT_PIXELS + i : i * sac_unit<KIND>::STEP + c;
    return (int)(word[k / 4] >> k % 4 * 8 & 255);
}

template <int KIND>
__device__ static inline uint32_t mix_pixel(const uint32_t *word, int i, const weighted &m)
{
    enum { COLORS = sac_unit<KIND>::COLORS, LAST = COLORS - 1, MIDDLE = LAST / 2 };
    const int first = color_of<KIND>(word, i, 0), middle = color_of<KIND>(word, i, MIDDLE);
    const int last = color_of<KIND>(word, i, LAST);
    const int luma =
        COLORS == 1 ? 128 * first : m.weight[0] * first + m.weight[1] * middle + m.weight[2] * last;
    uint32_t pixel = KIND == SAC_UNITS_RGBA ? word[i] & 0xff000000 : 0;
#pragma unroll
    for (int c = 0; c < COLORS; c++)
        pixel |= mix(m, color_of<KIND>(word, i, c), luma) << 8 * c;
    return pixel;
}

/* What no unit holds, a thread some pixels; colors are R, G, B here. */
__device__ static void mix_rest(const sac_alike &all, const sac_adjust_mix &by)
{
    const sac_pixels &in = all.current_units.rest, &out = all.out_units.rest;
    const sac_shift shift = all.shift[blockIdx.y];
    const weighted m = {by, {SAC_LUMA_RED, SAC_LUMA_GREEN, SAC_LUMA_BLUE}};
    const int64_t n = in.w * in.h, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        int64_t x, y;
        int color[3] = {0, 0, 0};
        sac_place(&x, &y, in, i);
#pragma unroll
        for (int c = 0; c < 3; c++)
            color[c] = *sac_sample_by(in, shift.current, in.n_colors == 3 ? c : 0, x, y);
        const int luma = m.weight[0] * color[0] + m.weight[1] * color[1] + m.weight[2] * color[2];
#pragma unroll
        for (int c = 0; c < 3; c++)
            if (c < in.n_colors)
                *sac_sample_by(out, shift.out, c, x, y) = (uint8_t)mix(m, color[c], luma);
        if (out.alpha && in.alpha)
            *sac_alpha_by(out, shift.out, x, y) = *sac_alpha_by(in, shift.current, x, y);
    }
}

__global__ void __launch_bounds__(SAC_PAIR_THREADS)
    adjust_pixels(const __grid_constant__ sac_alike all, const weighted m)
{
    sac_wait_for_stream();
    mix_rest(all, m.by);
}

template <int KIND>
__global__ void __launch_bounds__(SAC_PAIR_THREADS)
    adjust_units(const __grid_constant__ sac_alike all, const weighted m)
{
    enum { WORDS = 4 * sac_unit<KIND>::QUADS };
    __shared__ uint4 tiles[SAC_PAIR_WARPS][sac_unit<KIND>::TILE];
    uint4 *tile = tiles[sac_thread() / SAC_WARP];
    const sac_shift by = all.shift[blockIdx.y];
    const int64_t t = (int64_t)blockIdx.x * SAC_PAIR_WARPS + sac_thread() / SAC_WARP;
    const bool has_tile = t * SAC_WARP < all.current_units.n;
    uint32_t word[WORDS], pixel[SAC_UNIT_PIXELS];
    sac_wait_for_stream();
    if (has_tile)
        sac_tile_load<KIND>(tile, all.current_units, t, by.current);
    __pipeline_commit();
    sac_let_next_begin();
    __pipeline_wait_prior(0);
    __syncwarp();
    if (has_tile) {
        sac_unit_read<KIND>(word, tile);
#pragma unroll
        for (int i = 0; i < SAC_UNIT_PIXELS; i++)
            pixel[i] = mix_pixel<KIND>(word, i, m);
        sac_unit_pack<KIND>(word, pixel);
        __syncwarp();
        sac_unit_write<KIND>(tile, word);
        __syncwarp();
        sac_tile_store<KIND>(all.out_units, t, tile, by.out);
    }
    mix_rest(all, m.by);
}

typedef void (*kernel)(sac_alike all, weighted m);

static kernel kernel_of(sac_kind kind)
{
    return kind == SAC_UNITS_GRAY     ? (kernel)adjust_units<SAC_UNITS_GRAY>
           : kind == SAC_UNITS_RGB    ? (kernel)adjust_units<SAC_UNITS_RGB>
           : kind == SAC_UNITS_RGBA   ? (kernel)adjust_units<SAC_UNITS_RGBA>
           : kind == SAC_UNITS_PLANES ? (kernel)adjust_units<SAC_UNITS_PLANES>
                                      : (kernel)adjust_pixels;
}

static weighted weigh(const sac_adjust_mix *mix, const sac_pixels *in, sac_kind kind)
{
    const int weight[] = {SAC_LUMA_RED, SAC_LUMA_GREEN, SAC_LUMA_BLUE};
    const bool is_packed = kind == SAC_UNITS_RGB || kind == SAC_UNITS_RGBA;
    weighted m = {*mix, {0, 0, 0}};
    for (int c = 0; c < 3; c++)
        m.weight[is_packed ? sac_pixels_place(in, c) : c] = weight[c];
    return m;
}

extern "C" sac_status sac_adjust_u8_pairs(sac_gpu_stream stream, const sac_pair *pairs, int32_t n,
                                          const sac_adjust_mix *mix)
{
    sac_status status = SAC_OK;
    for (int32_t done = 0; done < n && status == SAC_OK;) {
        sac_alike a;
        sac_kind frames, out;
        int32_t k = sac_pairs_alike(&a, &frames, &out, pairs + done, n - done, false);
        if (out != frames ||
            (out != SAC_UNITS_PLANES && !sac_pixels_same_order(&a.out, &a.current))) {
            sac_pairs_by_pixels(&a, &pairs[done]);
            frames = SAC_UNITS_NONE;
            k = 1;
        }
        status = sac_launch_early(stream, sac_pair_grid(&a, frames, k), SAC_PAIR_THREADS,
                                  kernel_of(frames), a, weigh(mix, &a.current, frames));
        done += k;
    }
    return status;
}

static sac_status run_units(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_pair *pair,
                            const sac_adjust_mix *mix)
{
    (void)shape; /* a warp a tile */
    return sac_adjust_u8_pairs(stream, pair, 1, mix);
}

extern "C" const sac_variant sac_adjust_u8_cuda[] = {
    {"units", 0, true, SAC_FN(sac_adjust_u8_cuda_fn, run_units)},
    {NULL, 0, false, NULL},
};
