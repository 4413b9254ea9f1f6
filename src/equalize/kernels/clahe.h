/*
 * What the CLAHE rooms take: one table of M s for each tile, and how to interpolate between tile
 * centers. Fixed point decides, so that every variant gives the same bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CLAHE_H
#define SAC_EQUALIZE_CLAHE_H

#include <stddef.h>
#include <stdint.h>

#include "base/host_device.h"

#define SAC_CLAHE_WEIGHT_BITS 12 /* of a position between two tile centers */
#define SAC_CLAHE_LEVEL_BITS 16  /* fraction of a level M s */

/* Between which tiles a row or column lies, and how far: `weight` of `second`, the rest of `first`.
 */
typedef struct sac_clahe_place {
    int32_t first, second;
    uint32_t weight;
} sac_clahe_place;

typedef struct sac_clahe {
    int32_t bins;
    int32_t tiles_x, tiles_y;
    int64_t w, h;          /* of the whole picture */
    const uint32_t *level; /* (tiles_y, tiles_x, bins): M s of each tile, 16 fraction bits */
    const sac_clahe_place *column; /* (w): sac_clahe_at(x, w, tiles_x) */

    /* On a CPU: not NULL where tiles of `pixels` each, below 2^16, have cumulative counts in place
     * of levels, which are floor(M sum / pixels). */
    const uint16_t *sum; /* (tiles_y, tiles_x, bins) */
    uint32_t
        *pairs[2]; /* (bins) each, the caller's alone, for what a call makes of sums; or NULL */
    uint32_t pixels;
    uint64_t most; /* M with the fraction bits of a level */
} sac_clahe;

/* Where a tile's levels or sums begin. */
static inline size_t sac_clahe_tile(const sac_clahe *c, int32_t tx, int32_t ty)
{
    return ((size_t)ty * (size_t)c->tiles_x + (size_t)tx) * (size_t)c->bins;
}

/* The level that many places from the first. */
static inline uint32_t sac_clahe_level(const sac_clahe *c, size_t at)
{
    return c->sum ? (uint32_t)(c->most * c->sum[at] / c->pixels) : c->level[at];
}

/*
 * Pixel i of n, in an axis of t tiles: its center (i + 1/2) t / n - 1/2 in units of tiles, tile
 * centers at whole numbers; the fraction cut to 12 bits; the outermost tiles go on to the border.
 */
SAC_HOST_DEVICE static inline sac_clahe_place sac_clahe_at(int64_t i, int64_t n, int32_t t)
{
    int64_t u = (2 * i + 1) * t - n; /* over 2 n */
    sac_clahe_place place = {0, 0, 0};
    if (u < 0)
        return place;
    place.first = (int32_t)(u / (2 * n));
    place.second = place.first + 1 < t ? place.first + 1 : place.first;
    place.weight = (uint32_t)((u % (2 * n) << SAC_CLAHE_WEIGHT_BITS) / (2 * n));
    return place;
}

/* M s at a pixel from the levels of its four tiles, rounded back to 16 fraction bits. The weights
 * sum up to 2^24, so that four products of 32 bits are enough. */
SAC_HOST_DEVICE static inline uint32_t sac_clahe_mix(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                                     uint32_t wx, uint32_t wy)
{
    const uint32_t one = UINT32_C(1) << SAC_CLAHE_WEIGHT_BITS, both = wx * wy;
    const uint32_t right = wx * one - both, below = wy * one - both;
    uint64_t sum = (uint64_t)a * (one * one - right - below - both) + (uint64_t)b * right +
                   (uint64_t)c * below + (uint64_t)d * both;
    return (uint32_t)((sum + one * one / 2) >> 2 * SAC_CLAHE_WEIGHT_BITS);
}

/* The same, of a bin. */
static inline uint32_t sac_clahe_at_bin(const sac_clahe *c, sac_clahe_place px, sac_clahe_place py,
                                        size_t bin)
{
    return sac_clahe_mix(sac_clahe_level(c, sac_clahe_tile(c, px.first, py.first) + bin),
                         sac_clahe_level(c, sac_clahe_tile(c, px.second, py.first) + bin),
                         sac_clahe_level(c, sac_clahe_tile(c, px.first, py.second) + bin),
                         sac_clahe_level(c, sac_clahe_tile(c, px.second, py.second) + bin),
                         px.weight, py.weight);
}

#endif
