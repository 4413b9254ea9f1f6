/*
 * Pairs of frames as units of 16 pixels, and pixels as words of 32 bits: what heat maps and noise
 * views share. A warp takes a tile of 32 units: both frames come into shared memory by asynchronous
 * copies, and the picture leaves by way of it, so that all memory is touched in whole lines.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_PAIRS_CUH
#define SAC_MOTION_PAIRS_CUH

#include "image/pixels.cuh"
#include "motion/kernels/pairs_cuda.h"

#define SAC_PAIR_THREADS 256
#define SAC_PAIR_WARPS (SAC_PAIR_THREADS / SAC_WARP)
#define SAC_UNIT_PIXELS 16

/* How far a pair lies from a launch's first, in bytes. */
typedef struct sac_shift {
    ptrdiff_t out, current, previous;
} sac_shift;

/* Pairs of one launch: the first, and how far from it the others lie. */
typedef struct sac_alike {
    sac_pixels out, current, previous; /* whole pictures */
    sac_units out_units, current_units, previous_units;
    sac_shift shift[SAC_PAIRS];
} sac_alike;

static_assert(sizeof(sac_alike) <= 3072, "with what else a kernel takes, 4 KB of arguments");

/* A sample of a picture that lies `by` bytes from where p says. */
__device__ inline uint8_t *sac_sample_by(const sac_pixels &p, ptrdiff_t by, int c, int64_t x,
                                         int64_t y)
{
    return sac_sample<uint8_t>(p, c, x, y) + by;
}

__device__ inline uint8_t *sac_alpha_by(const sac_pixels &p, ptrdiff_t by, int64_t x, int64_t y)
{
    return (uint8_t *)p.alpha + y * p.row + x * p.pixel + by;
}

/* |a - b| of each of four bytes. */
__device__ inline uint32_t sac_absd4(uint32_t a, uint32_t b)
{
    return __vabsdiffu4(a, b);
}

/* Four pixels of three bytes, of the low three bytes of words, as three words. */
__device__ inline void sac_pack_rgb(uint32_t *to, const uint32_t *pixel)
{
    to[0] = __byte_perm(pixel[0], pixel[1], 0x4210);
    to[1] = __byte_perm(pixel[1], pixel[2], 0x5421);
    to[2] = __byte_perm(pixel[2], pixel[3], 0x6542);
}

/* Byte `c` of four words as one. */
__device__ inline uint32_t sac_pack_plane(const uint32_t *pixel, int c)
{
    const uint32_t low = __byte_perm(pixel[0], pixel[1], 0x40 + 0x11 * c);
    const uint32_t high = __byte_perm(pixel[2], pixel[3], 0x40 + 0x11 * c);
    return __byte_perm(low, high, 0x5410);
}

/* Sixteen pixels, each in the bytes of a word, to a unit; of gray the lowest bytes. Bytes of planes
 * are those of color[0], [1], [2], elsewhere those of a pixel in memory. */
template <int KIND> __device__ inline void sac_unit_pack(uint32_t *word, const uint32_t *pixel)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (KIND == SAC_UNITS_RGB)
            sac_pack_rgb(word + 3 * i, pixel + 4 * i);
        else if (KIND == SAC_UNITS_RGBA)
            for (int k = 0; k < 4; k++)
                word[4 * i + k] = pixel[4 * i + k];
        else
            for (int c = 0; c < sac_unit<KIND>::COLORS; c++)
                word[4 * c + i] = sac_pack_plane(pixel + 4 * i, c);
    }
}

/* Host: the first pairs that lie alike, how many, as a launch's arguments; the layouts of frames
 * and of out where both go by units, else SAC_UNITS_NONE. With `bits` out is no picture, but holds
 * a bit a pixel. */
SAC_INTERNAL int32_t sac_pairs_alike(sac_alike *a, sac_kind *frames, sac_kind *out,
                                     const sac_pair *pairs, int32_t n, bool bits);

/* Host: one pair, all of it `rest`. */
SAC_INTERNAL void sac_pairs_by_pixels(sac_alike *a, const sac_pair *pair);

/* Host: blocks of SAC_PAIR_THREADS for n pairs: a warp a tile, or threads for some pixels each. */
SAC_INTERNAL dim3 sac_pair_grid(const sac_alike *a, sac_kind frames, int32_t n);

#endif
