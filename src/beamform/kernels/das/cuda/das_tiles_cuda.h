/*
 * Delay-and-sum on a GPU: which points a warp takes, and which warps a block.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_TILES_CUDA_H
#define SAC_BEAMFORM_DAS_TILES_CUDA_H

#include "beamform/kernels/das/cuda/das_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Points: a warp's lie side by side along two of the axes that have several, and so do a block's
 * warps, four of them behind each other where there are as many. Where that would leave a third of
 * the lanes without a point, a warp's points follow each other in memory, or in `order`: of lists
 * without rows, and of grids that are narrow across. Rows of points lie along the axes whose
 * neighbours take the most samples and elements together. Deep rows come first: their apertures are
 * the widest.
 * Of pictures too small for all of a GPU's warps several work on the same points, each on a share
 * of the transmits; where there are not as many, on a part of the elements, too.
 */
#define SAC_DAS_TILE_W 8 /* a warp's points, where lanes are points */
#define SAC_DAS_TILE_H 4

typedef struct sac_das_tiles {
    int64_t w, h, slices;        /* points along the axes */
    int64_t across, down, slice; /* how far apart their indices are, or places in `order` */
    const int32_t *order;        /* or NULL */
    uint32_t warp_w, warp_h;     /* points of a warp */
    uint32_t shares;             /* warps that work on the same points */
    uint32_t part_bits;          /* the logarithm of how many of them have the same transmits */
    uint32_t warps_x, warps_y;   /* of a block, on different ones; powers of two */
    uint32_t x_bits, bits;       /* the logarithms of warps_x and of warps_x warps_y */
    uint32_t n_x, n_y, n;        /* blocks, of a slice and in all */
} sac_das_tiles;

static inline int64_t sac_das_parts(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

/* Fills in run->spread, n_heard and most_heard of a run whose axes are known, from `das` in the
 * CPU's memory; `order` there, or NULL. */
SAC_INTERNAL void sac_das_tiles_measure(sac_das_cuda *run, const sac_das *das,
                                        const int32_t *order);

/* Of warps that take w x h points, so many a block; h is 1 of those that take rows. */
SAC_INTERNAL sac_das_tiles sac_das_tiles_of(const sac_das_cuda *run, uint32_t w, uint32_t h,
                                            uint32_t warps);

/* What warps work on, for sac_das_tiles_share. */
typedef struct sac_das_load {
    uint32_t warps, groups; /* of a block; groups of frames go side by side */
    int32_t most;           /* shares of the transmits, at most, */
    int32_t turns;          /* which take so many turns together */
    int32_t resident;       /* warps of a multiprocessor */
    double pairs;    /* of each element that a warp's points hear: points, transmits, frames */
    bool are_points; /* lanes */
} sac_das_load;

/* As many shares as make the time least, in which multiprocessors have work. */
SAC_INTERNAL void sac_das_tiles_share(sac_das_tiles *t, const sac_das_cuda *run,
                                      const sac_das_load *load);

#ifdef __cplusplus
}
#endif
#endif
