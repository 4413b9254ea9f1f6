/*
 * Pixels on the device: sample by sample for any layout, and in tiles of 32 units of 16 bytes a
 * channel where layout and alignment allow vector loads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IMAGE_PIXELS_CUH
#define SAC_IMAGE_PIXELS_CUH

#include <cuda_pipeline_primitives.h>
#include <stdint.h>

#include "base/error.h"
#include "gpu/block.cuh"
#include "image/pixels.h"

template <typename T>
__device__ inline T *sac_sample(const sac_pixels &p, int channel, int64_t x, int64_t y)
{
    return (T *)((char *)p.color[channel] + y * p.row + x * p.pixel);
}

/* V of a pixel. */
template <typename T>
__device__ inline uint32_t sac_value(const sac_pixels &p, int64_t x, int64_t y)
{
    uint32_t v = *sac_sample<T>(p, 0, x, y);
    if (p.n_colors == 3)
        v = max(v, max((uint32_t)*sac_sample<T>(p, 1, x, y), (uint32_t)*sac_sample<T>(p, 2, x, y)));
    return v;
}

/* Pixel i of w h in reading order; 32-bit divisions where they are enough. */
__device__ inline void sac_place(int64_t *x, int64_t *y, const sac_pixels &p, int64_t i)
{
    if (p.h == 1) {
        *x = i;
        *y = 0;
    } else if ((uint64_t)i >> 32 || (uint64_t)p.w >> 32) {
        *y = i / p.w;
        *x = i - *y * p.w;
    } else {
        *y = (uint32_t)i / (uint32_t)p.w;
        *x = (uint32_t)i - (uint32_t)*y * (uint32_t)p.w;
    }
}

template <typename T>
__device__ inline void sac_copy_alpha(const sac_pixels &out, const sac_pixels &in, int64_t x,
                                      int64_t y)
{
    if (out.alpha && in.alpha && out.alpha != in.alpha)
        *(T *)((char *)out.alpha + y * out.row + x * out.pixel) =
            *(const T *)((const char *)in.alpha + y * in.row + x * in.pixel);
}

/* Layouts that go by vectors. A unit is 16 bytes of each plane, or as many pixels of RGB or RGBA.
 */
enum sac_kind { SAC_UNITS_NONE, SAC_UNITS_GRAY, SAC_UNITS_RGB, SAC_UNITS_RGBA, SAC_UNITS_PLANES };

/* A picture as units. The rest of each row after the last whole unit is `rest`. */
typedef struct sac_units {
    char *plane[3]; /* first unit; planes: of each color, else [0] alone */
    ptrdiff_t row;  /* bytes */
    int64_t per_row, n;
    sac_pixels rest; /* everything with SAC_UNITS_NONE */
} sac_units;

template <int KIND> struct sac_unit {
    enum { STEP = KIND == SAC_UNITS_RGB ? 3 : KIND == SAC_UNITS_RGBA ? 4 : 1 };
    enum { COLORS = KIND == SAC_UNITS_GRAY ? 1 : 3 };
    enum { QUADS = KIND == SAC_UNITS_PLANES ? 3 : STEP }; /* of 16 bytes */
    enum { TILE = SAC_WARP * QUADS };                     /* 16-byte words of 32 units */
};

/* The place of 16-byte word j of unit u in a tile. Neither a warp's accesses, unit by unit, nor the
 * copies to and from memory have bank conflicts. */
template <int KIND> __device__ inline uint32_t sac_tile_at(uint32_t u, uint32_t j)
{
    if (KIND == SAC_UNITS_PLANES)
        return j * SAC_WARP + u;
    if (KIND == SAC_UNITS_RGBA)
        return 4 * u + (j ^ (u >> 1 & 3));
    return sac_unit<KIND>::QUADS * u + j;
}

/* The address of the tile's i-th word in memory, and its place *at in the tile. NULL after the last
 * unit. */
template <int KIND>
__device__ inline char *sac_tile_word(uint32_t *at, const sac_units &p, int64_t tile, uint32_t i)
{
    enum { QUADS = sac_unit<KIND>::QUADS };
    const bool planes = KIND == SAC_UNITS_PLANES;
    const uint32_t u = planes ? i % SAC_WARP : i / QUADS, j = planes ? i / SAC_WARP : i % QUADS;
    const int64_t unit = tile * SAC_WARP + u;
    *at = sac_tile_at<KIND>(u, j);
    if (unit >= p.n)
        return NULL;
    int64_t x = unit, y = 0;
    if (p.per_row < p.n) {
        y = (uint64_t)p.n >> 32 ? unit / p.per_row : (uint32_t)unit / (uint32_t)p.per_row;
        x = unit - y * p.per_row;
    }
    return p.plane[planes ? j : 0] + y * p.row + (planes ? x : x * QUADS + j) * 16;
}

/* Starts a tile's copy into shared memory: the warp's part of the pipeline. The picture lies `by`
 * bytes from where `p` says. */
template <int KIND>
__device__ inline void sac_tile_load(uint4 *to, const sac_units &p, int64_t tile, ptrdiff_t by = 0)
{
    const uint32_t lane = sac_thread() % SAC_WARP;
#pragma unroll
    for (uint32_t k = 0; k < sac_unit<KIND>::QUADS; k++) {
        uint32_t at;
        const char *from = sac_tile_word<KIND>(&at, p, tile, k * SAC_WARP + lane);
        if (from)
            __pipeline_memcpy_async(to + at, from + by, 16);
    }
}

template <int KIND>
__device__ inline void sac_tile_store(const sac_units &p, int64_t tile, const uint4 *from,
                                      ptrdiff_t by = 0)
{
    const uint32_t lane = sac_thread() % SAC_WARP;
#pragma unroll
    for (uint32_t k = 0; k < sac_unit<KIND>::QUADS; k++) {
        uint32_t at;
        char *to = sac_tile_word<KIND>(&at, p, tile, k * SAC_WARP + lane);
        if (to)
            *(uint4 *)(to + by) = from[at];
    }
}

/* This lane's unit, between tile and registers. */
template <int KIND> __device__ inline void sac_unit_read(uint32_t *word, const uint4 *tile)
{
    const uint32_t lane = sac_thread() % SAC_WARP;
#pragma unroll
    for (uint32_t j = 0; j < sac_unit<KIND>::QUADS; j++) {
        const uint4 quad = tile[sac_tile_at<KIND>(lane, j)];
        word[4 * j] = quad.x;
        word[4 * j + 1] = quad.y;
        word[4 * j + 2] = quad.z;
        word[4 * j + 3] = quad.w;
    }
}

template <int KIND> __device__ inline void sac_unit_write(uint4 *tile, const uint32_t *word)
{
    const uint32_t lane = sac_thread() % SAC_WARP;
#pragma unroll
    for (uint32_t j = 0; j < sac_unit<KIND>::QUADS; j++)
        tile[sac_tile_at<KIND>(lane, j)] =
            make_uint4(word[4 * j], word[4 * j + 1], word[4 * j + 2], word[4 * j + 3]);
}

/* V of the unit's pixel i; i is a constant once the loop around is unrolled. */
template <int KIND, typename T>
__device__ inline uint32_t sac_unit_value(const uint32_t *word, int i)
{
    enum { PER_WORD = 4 / sizeof(T), BITS = 8 * sizeof(T) };
    uint32_t v = 0;
#pragma unroll
    for (int c = 0; c < sac_unit<KIND>::COLORS; c++) {
        const int k =
            KIND == SAC_UNITS_PLANES ? c * (16 / (int)sizeof(T)) + i : i * sac_unit<KIND>::STEP + c;
        v = max(v, word[k / PER_WORD] >> k % PER_WORD * BITS & (T)~0u);
    }
    return v;
}

/* The pixel that sample k of a unit belongs to; whether it is its alpha. */
template <int KIND, typename T> __device__ inline int sac_unit_pixel(int k)
{
    return KIND == SAC_UNITS_PLANES ? k % (16 / (int)sizeof(T)) : k / sac_unit<KIND>::STEP;
}

template <int KIND> __device__ inline bool sac_unit_is_alpha(int k)
{
    return KIND == SAC_UNITS_RGBA && k % 4 == 3;
}

/*
 * Host: pictures one by one. Whether a picture's rows follow each other without gaps; the same as
 * one long row; its layout, of samples of `size` bytes; its units in a layout, its own or
 * SAC_UNITS_NONE.
 */
SAC_INTERNAL bool sac_pixels_are_gapless(const sac_pixels *p);
SAC_INTERNAL sac_pixels sac_pixels_joined(const sac_pixels *p);
SAC_INTERNAL sac_kind sac_kind_of(const sac_pixels *p, int size);
SAC_INTERNAL void sac_units_cut(sac_units *u, const sac_pixels *p, sac_kind kind, int size);

/* Of packed pixels: a color's sample in the pixel, 0 to 2; whether both have the same order. */
SAC_INTERNAL int sac_pixels_place(const sac_pixels *p, int color);
SAC_INTERNAL bool sac_pixels_same_order(const sac_pixels *p, const sac_pixels *q);

/* Host: the layout that two pictures share, and both as units, the same number. */
SAC_INTERNAL sac_kind sac_units_of(sac_units *out_units, sac_units *in_units, const sac_pixels *out,
                                   const sac_pixels *in, int size);

#endif
