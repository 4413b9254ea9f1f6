/*
 * meltpool_frame_u8: what one frame's features 0..19 are made of, all of it exact integers.
 *
 * Only the region of interest (ROI) is read: n x n pixels I(x, y), 0 <= x, y < n, y down.
 *
 * Segments: I >= threshold, in 4-connected components. The pool is the component of the bright
 * pixel that is nearest to the centre's pixel (Euclidean; of equally near ones the first in raster
 * order); the other components of at least spatter_min pixels are spatters.
 *
 * Sectors: theta = atan2(y - yc, x - xc) in [0, 360) degrees, atan2(0, 0) = 0, with the centre in
 * Q16 fixed point; polar[floor(theta / 60 degrees)] sums I over all pixels. With dx and dy in Q16,
 * a pixel is in 1 or 4 where dy^2 > 3 dx^2, which are equal at the centre only; where dy is 0, in 0
 * or, with dx < 0, in 3.
 *
 * Gradients: gx = I(x + 1, y) - I(x - 1, y), gy = I(x, y + 1) - I(x, y - 1), the ROI's border
 * pixels replicated. Each votes with its magnitude m = floor(16 sqrt(gx^2 + gy^2) + 1/2) for one of
 * 9 bins of 20 degrees. With (u, v) = (gx, gy) turned so that v > 0, or v = 0 and u >= 0, the bin
 * is how many of these edges it has reached: sac_meltpool_edge_x v - sac_meltpool_edge_y u >= 0.
 * (They are 32767 (cos, sin) of 20, 40 .. 160 degrees, rounded: for gradients of bytes the bin is
 * that of the true angle, and none lies on an edge but 0.)
 *
 * The frame's rows are `row` bytes apart, of any sign. The ROI lies in the frame. 8 <= n <= 128.
 * The centre's pixel and its place are at most 2^13 pixels away from any pixel of the ROI. Writes
 * the whole result.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_U8_H
#define SAC_MELTPOOL_FRAME_U8_H

#include <saccade/meltpool.h>

#include "kernels/variant.h"

enum {
    SAC_MELTPOOL_MIN_ROI = 8,
    SAC_MELTPOOL_MAX_ROI = 128,
    SAC_MELTPOOL_SECTORS = 6,
    SAC_MELTPOOL_BINS = 9
};

/* Where bins 1..8 begin. */
static const int32_t sac_meltpool_edge_x[] = {30791, 25101,  16384,  5690,
                                              -5690, -16384, -25101, -30791};
static const int32_t sac_meltpool_edge_y[] = {11207, 21062, 28377, 32269,
                                              32269, 28377, 21062, 11207};

typedef struct sac_meltpool_frame_job {
    const uint8_t *frame; /* its first pixel */
    ptrdiff_t row;
    int32_t x0, y0, n;      /* the ROI's first pixel in the frame, and its side */
    int32_t threshold;      /* 0..256 */
    int32_t spatter_min;    /* pixels, 1 or more */
    int32_t cx, cy;         /* the centre's pixel, in the frame */
    int32_t cx_q16, cy_q16; /* its place in 1/65536 of a pixel; a pixel's own place is its index */
} sac_meltpool_frame_job;

/* Sums of the pool count x and y from the ROI's first pixel. */
typedef struct sac_meltpool_integers {
    uint32_t flags; /* SAC_MELTPOOL_NO_POOL, all else of segments being 0; SAC_MELTPOOL_CLIPPED, the
                       pool touches the ROI's edge */
    uint32_t area;  /* of the pool */
    uint32_t spatter_pixels, n_spatters;
    uint32_t sum_x, sum_y, sum_xx, sum_xy, sum_yy;
    uint32_t sum_i; /* of its intensity */
    uint32_t polar[SAC_MELTPOOL_SECTORS];
    uint32_t hog[SAC_MELTPOOL_BINS]; /* votes in 1/16 */
} sac_meltpool_integers;

typedef void (*sac_meltpool_frame_u8_fn)(sac_meltpool_integers *out,
                                         const sac_meltpool_frame_job *job);

void sac_meltpool_frame_u8_ref(sac_meltpool_integers *out, const sac_meltpool_frame_job *job);
void sac_meltpool_frame_u8_plain(sac_meltpool_integers *out, const sac_meltpool_frame_job *job);
void sac_meltpool_frame_u8_avx512(sac_meltpool_integers *out, const sac_meltpool_frame_job *job);

SAC_INTERNAL extern const sac_room sac_meltpool_frame_u8_room;

/* Pixel (x, y) of the ROI. */
static inline const uint8_t *sac_meltpool_at(const sac_meltpool_frame_job *job, int32_t x,
                                             int32_t y)
{
    return job->frame + (job->y0 + y) * job->row + job->x0 + x;
}

#endif
