/*
 * noise_u8 on a GPU: differences beyond the threshold by their carry, four bytes at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/early.cuh"
#include "motion/kernels/pairs.cuh"

/* The highest bit of each byte of d that is more than the threshold: that of the mean of d and 255
 * - threshold, the four of which are `above`. Other bits are anything. */
__device__ static inline uint32_t beyond4(uint32_t d, uint32_t above)
{
    return (d & above) + (((d ^ above) >> 1) & 0x7f7f7f7f);
}

/* Those bits of pixel i's colors, in a unit's words; not 0 where it changed. */
template <int KIND> __device__ static inline uint32_t changed(const uint32_t *beyond, int i)
{
    const uint32_t top = 0x80u << i % 4 * 8;
    if (KIND == SAC_UNITS_GRAY)
        return beyond[i / 4] & top;
    if (KIND == SAC_UNITS_RGBA)
        return beyond[i] & 0x00808080;
    if (KIND == SAC_UNITS_PLANES)
        return (beyond[i / 4] | beyond[4 + i / 4] | beyond[8 + i / 4]) & top;
    const uint32_t *word = beyond + i / 4 * 3;
    switch (i % 4) { /* bytes 3 i to 3 i + 2 */
    case 0:
        return word[0] & 0x00808080;
    case 1:
        return (word[0] & 0x80000000) | (word[1] & 0x00008080);
    case 2:
        return (word[1] & 0x80800000) | (word[2] & 0x00000080);
    default:
        return word[2] & 0x80808000;
    }
}

/* What is drawn, and where the counts go. */
typedef struct view {
    uint32_t above; /* 255 - threshold, four times */
    uint32_t red;   /* 255 in the byte of a pixel that is color[0] */
    uint64_t *counts;
    sac_noise_scratch *scratch;
} view;

/* A bit of each of a unit's pixels. */
template <int KIND> __device__ static inline uint32_t bits_of(const uint32_t *beyond)
{
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < SAC_UNIT_PIXELS; i++)
        bits |= changed<KIND>(beyond, i) ? 1u << i : 0;
    return bits;
}

/* `bytes` where a pixel's bit is set, as a unit. */
template <int KIND>
__device__ static inline void spread(uint32_t *word, uint32_t bits, uint32_t bytes, uint32_t always)
{
    uint32_t pixel[SAC_UNIT_PIXELS];
#pragma unroll
    for (int i = 0; i < SAC_UNIT_PIXELS; i++)
        pixel[i] = (bits >> i & 1 ? bytes : 0) | always;
    sac_unit_pack<KIND>(word, pixel);
}

/* A unit of out, in place of the previous frame's words. */
template <int KIND, int VIEW>
__device__ static inline void draw_unit(uint32_t *was, uint32_t bits, uint32_t red)
{
    enum { WORDS = 4 * sac_unit<KIND>::QUADS };
    uint32_t reds[WORDS], full[WORDS];
    spread<KIND>(reds, bits, red,
                 VIEW == SAC_NOISE_MASK && KIND == SAC_UNITS_RGBA ? 0xff000000 : 0);
    if (VIEW == SAC_NOISE_PURE)
        spread<KIND>(full, bits, KIND == SAC_UNITS_GRAY ? 0xff : 0xffffff, 0);
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        was[k] = VIEW == SAC_NOISE_MASK   ? reds[k]
                 : VIEW == SAC_NOISE_PURE ? (was[k] & ~full[k]) | reds[k]
                                          : was[k] | reds[k];
}

__device__ static bool differs(const sac_alike &all, int64_t x, int64_t y, int threshold)
{
    const sac_pixels &p = all.current_units.rest, &q = all.previous_units.rest;
    const sac_shift by = all.shift[blockIdx.y];
    bool differ = false;
    for (int c = 0; c < p.n_colors; c++)
        differ = differ || abs((int)*sac_sample_by(p, by.current, c, x, y) -
                               (int)*sac_sample_by(q, by.previous, c, x, y)) > threshold;
    return differ;
}

template <int VIEW>
__device__ static void draw_pixel(const sac_alike &all, int64_t x, int64_t y, bool differ)
{
    const sac_pixels &out = all.out_units.rest, &previous = all.previous_units.rest;
    const sac_shift by = all.shift[blockIdx.y];
    const bool keeps = VIEW == SAC_NOISE_OVERLAY || (VIEW == SAC_NOISE_PURE && !differ);
    for (int c = 0; c < previous.n_colors; c++)
        *sac_sample_by(out, by.out, c, x, y) = c == 0 && differ ? 255
                                               : keeps
                                                   ? *sac_sample_by(previous, by.previous, c, x, y)
                                                   : 0;
    if (VIEW == SAC_NOISE_MASK && out.alpha)
        *sac_alpha_by(out, by.out, x, y) = 255;
    else if (VIEW != SAC_NOISE_MASK && out.alpha && previous.alpha)
        *sac_alpha_by(out, by.out, x, y) = *sac_alpha_by(previous, by.previous, x, y);
}

/* What no unit holds, a thread some pixels; how many of the thread's changed. */
template <int VIEW> __device__ static uint32_t draw_rest(const sac_alike &all, const view &v)
{
    const sac_pixels &frame = all.current_units.rest;
    const int threshold = 255 - (int)(v.above & 255);
    const int64_t n = frame.w * frame.h, step = (int64_t)gridDim.x * blockDim.x;
    uint32_t count = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        int64_t x, y;
        sac_place(&x, &y, frame, i);
        const bool differ = differs(all, x, y, threshold);
        draw_pixel<VIEW>(all, x, y, differ);
        count += differ;
    }
    return count;
}

/* The same of bits: a thread some bytes of out, which begin where the units' end. */
__device__ static uint32_t mark_rest(const sac_alike &all, const view &v)
{
    const sac_pixels &frame = all.current_units.rest;
    const int threshold = 255 - (int)(v.above & 255);
    const int64_t first = all.current_units.per_row * (SAC_UNIT_PIXELS / 8);
    const int64_t bytes = (frame.w + 7) / 8, n = bytes * frame.h;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    uint32_t count = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const int64_t y = i / bytes, at = i - y * bytes;
        uint32_t byte = 0;
        for (int k = 0; k < 8 && 8 * at + k < frame.w; k++)
            byte |= differs(all, 8 * at + k, y, threshold) ? 1u << k : 0;
        *sac_sample_by(all.out, all.shift[blockIdx.y].out, 0, first + at, y) = (uint8_t)byte;
        count += __popc(byte);
    }
    return count;
}

/* Where the bits of unit u go. */
__device__ static void mark_unit(const sac_alike &all, int64_t u, uint32_t bits)
{
    const int64_t y = u / all.current_units.per_row, x = u - y * all.current_units.per_row;
    uint8_t *to = sac_sample_by(all.out, all.shift[blockIdx.y].out, 0, 2 * x, y);
    if ((uintptr_t)to % 2 == 0 && all.out.pixel == 1) {
        *(uint16_t *)to = (uint16_t)bits;
        return;
    }
    to[0] = (uint8_t)bits;
    to[all.out.pixel] = (uint8_t)(bits >> 8);
}

#define BLOCK_SHIFT 40

/* The block's pixels that changed, from all of its threads', to the pair's count, which is complete
 * once all blocks have said theirs: blocks and pixels are counted by one addition. All threads
 * call.
 */
__device__ static void total(uint32_t count, const view &v)
{
    __shared__ uint32_t sums[SAC_PAIR_WARPS];
    count = sac_warp_sum(count);
    if (sac_thread() % SAC_WARP == 0)
        sums[sac_thread() / SAC_WARP] = count;
    __syncthreads();
    if (sac_thread() > 0)
        return;
    unsigned long long sum = 1ull << BLOCK_SHIFT;
    for (uint32_t k = 0; k < SAC_PAIR_WARPS; k++)
        sum += sums[k];
    unsigned long long *all = &v.scratch->sum[blockIdx.y];
    sum += atomicAdd(all, sum);
    if (sum >> BLOCK_SHIFT < gridDim.x)
        return;
    (void)atomicExch(all, 0ull); /* as all others touch it, which makes it no race */
    if (v.counts)
        v.counts[blockIdx.y] = sum & ((1ull << BLOCK_SHIFT) - 1);
}

template <int VIEW>
__global__ void __launch_bounds__(SAC_PAIR_THREADS)
    noise_pixels(const __grid_constant__ sac_alike all, const view v)
{
    sac_wait_for_stream();
    total(VIEW == SAC_NOISE_BITS ? mark_rest(all, v) : draw_rest<VIEW>(all, v), v);
}

template <int KIND, int VIEW>
__global__ void __launch_bounds__(SAC_PAIR_THREADS)
    noise_units(const __grid_constant__ sac_alike all, const view v)
{
    enum { FRAME = sac_unit<KIND>::TILE, WORDS = 4 * sac_unit<KIND>::QUADS };
    __shared__ uint4 tiles[SAC_PAIR_WARPS][2 * FRAME];
    uint4 *current = tiles[sac_thread() / SAC_WARP], *previous = current + FRAME;
    const sac_shift by = all.shift[blockIdx.y];
    const int64_t t = (int64_t)blockIdx.x * SAC_PAIR_WARPS + sac_thread() / SAC_WARP;
    const int64_t unit = t * SAC_WARP + sac_thread() % SAC_WARP;
    const bool has_tile = t * SAC_WARP < all.current_units.n;
    uint32_t is[WORDS], was[WORDS], bits = 0;
    sac_wait_for_stream();
    if (has_tile) {
        sac_tile_load<KIND>(current, all.current_units, t, by.current);
        sac_tile_load<KIND>(previous, all.previous_units, t, by.previous);
        __pipeline_commit();
        sac_let_next_begin();
        __pipeline_wait_prior(0);
        __syncwarp();
        sac_unit_read<KIND>(is, current);
        sac_unit_read<KIND>(was, previous);
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            is[k] = beyond4(sac_absd4(is[k], was[k]), v.above);
        bits = unit < all.current_units.n ? bits_of<KIND>(is) : 0;
    }
    const uint32_t rest = VIEW == SAC_NOISE_BITS ? mark_rest(all, v) : draw_rest<VIEW>(all, v);
    total(__popc(bits) + rest, v); /* on its way while the picture is written */
    if (!has_tile)
        return;
    if (VIEW == SAC_NOISE_BITS) {
        if (unit < all.current_units.n)
            mark_unit(all, unit, bits);
        return;
    }
    draw_unit<KIND, VIEW>(was, bits, v.red);
    sac_unit_write<KIND>(current, was);
    __syncwarp();
    sac_tile_store<KIND>(all.out_units, t, current, by.out);
}

typedef void (*kernel)(sac_alike all, view v);

template <int VIEW> static kernel kernel_of(sac_kind kind)
{
    return kind == SAC_UNITS_GRAY     ? (kernel)noise_units<SAC_UNITS_GRAY, VIEW>
           : kind == SAC_UNITS_RGB    ? (kernel)noise_units<SAC_UNITS_RGB, VIEW>
           : kind == SAC_UNITS_RGBA   ? (kernel)noise_units<SAC_UNITS_RGBA, VIEW>
           : kind == SAC_UNITS_PLANES ? (kernel)noise_units<SAC_UNITS_PLANES, VIEW>
                                      : (kernel)noise_pixels<VIEW>;
}

static kernel kernel_for(sac_noise_view shows, sac_kind kind)
{
    return shows == SAC_NOISE_MASK      ? kernel_of<SAC_NOISE_MASK>(kind)
           : shows == SAC_NOISE_OVERLAY ? kernel_of<SAC_NOISE_OVERLAY>(kind)
           : shows == SAC_NOISE_PURE    ? kernel_of<SAC_NOISE_PURE>(kind)
                                        : kernel_of<SAC_NOISE_BITS>(kind);
}

static uint32_t red_of(const sac_pixels *out, sac_kind kind)
{
    const bool is_packed = kind == SAC_UNITS_RGB || kind == SAC_UNITS_RGBA;
    return is_packed ? 0xffu << 8 * sac_pixels_place(out, 0) : 0xffu;
}

extern "C" sac_status sac_noise_u8_pairs(sac_gpu_stream stream, const sac_pair *pairs, int32_t n,
                                         sac_noise_view shows, int32_t threshold, uint64_t *counts,
                                         sac_noise_scratch *scratch)
{
    const bool bits = shows == SAC_NOISE_BITS;
    sac_status status = SAC_OK;
    for (int32_t done = 0; done < n && status == SAC_OK;) {
        sac_alike a;
        sac_kind frames, out;
        int32_t k = sac_pairs_alike(&a, &frames, &out, pairs + done, n - done, bits);
        if (!bits && (out != frames ||
                      (out != SAC_UNITS_PLANES && !sac_pixels_same_order(&a.out, &a.previous)))) {
            sac_pairs_by_pixels(&a, &pairs[done]);
            frames = out = SAC_UNITS_NONE;
            k = 1;
        }
        const view v = {0x01010101u * (uint32_t)(255 - threshold), red_of(&a.out, out),
                        counts ? counts + done : NULL, scratch};
        status = sac_launch_early(stream, sac_pair_grid(&a, frames, k), SAC_PAIR_THREADS,
                                  kernel_for(shows, frames), a, v);
        done += k;
    }
    return status;
}

static sac_status run_units(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_pair *pair,
                            sac_noise_view shows, int32_t threshold, uint64_t *count,
                            sac_noise_scratch *scratch)
{
    (void)shape; /* a warp a tile */
    return sac_noise_u8_pairs(stream, pair, 1, shows, threshold, count, scratch);
}

extern "C" const sac_variant sac_noise_u8_cuda[] = {
    {"units", 0, true, SAC_FN(sac_noise_u8_cuda_fn, run_units)},
    {NULL, 0, false, NULL},
};
