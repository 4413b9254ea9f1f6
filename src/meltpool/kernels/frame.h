/*
 * What the rooms share that make a frame's features: where they look, and what they find.
 *
 * Only the region of interest (ROI) is read: n x n pixels I(x, y), 0 <= x, y < n, y down. The
 * frame's rows are `row` bytes apart, of any sign. The ROI lies in the frame. 8 <= n <= 128. The
 * centre's pixel and its place are at most 2^13 pixels away from any pixel of the ROI.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_H
#define SAC_MELTPOOL_FRAME_H

#include <saccade/meltpool.h>

#define SAC_MELTPOOL_INLINE static inline __attribute__((always_inline))

enum {
    SAC_MELTPOOL_MIN_ROI = 8,
    SAC_MELTPOOL_MAX_ROI = 128,
    SAC_MELTPOOL_SECTORS = 6,
    SAC_MELTPOOL_BINS = 9,
    SAC_MELTPOOL_WORDS = SAC_MELTPOOL_MAX_ROI / 64
};

typedef struct sac_meltpool_frame_job {
    const uint8_t *frame; /* its first pixel */
    ptrdiff_t row;
    int32_t x0, y0, n;      /* the ROI's first pixel in the frame, and its side */
    int32_t threshold;      /* 0..256 */
    int32_t spatter_min;    /* pixels, 1 or more */
    int32_t cx, cy;         /* the centre's pixel, in the frame */
    int32_t cx_q16, cy_q16; /* its place in 1/65536 of a pixel; a pixel's own place is its index */
    bool scan;              /* sectors are counted from edge 0 instead of the image's x */
    int32_t edge_x[3], edge_y[3]; /* with scan: where sectors 0, 1 and 2 begin, each 60 degrees from
                                     the one before, and about 2^14 long */
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

/* A bit a pixel of the ROI's rows, that of x = 0 the lowest; bits from n on are 0. */
typedef struct sac_meltpool_bits {
    uint64_t row[SAC_MELTPOOL_MAX_ROI][SAC_MELTPOOL_WORDS];
} sac_meltpool_bits;

/* Pixel (x, y) of the ROI. */
static inline const uint8_t *sac_meltpool_at(const sac_meltpool_frame_job *job, int32_t x,
                                             int32_t y)
{
    return job->frame + (job->y0 + y) * job->row + job->x0 + x;
}

#endif
