/*
 * Where sectors end in a row, and sums of what is between: what plain C and SIMD share.
 *
 * All sectors' edges pass through the centre. So all rows above it (dy < 0) cross the same sectors
 * from left to right, counting up modulo 6, and all rows below it (dy > 0) others, counting down.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_SECTORS_H
#define SAC_MELTPOOL_SECTORS_H

#include <math.h>
#include <string.h>

#include "meltpool/kernels/frame.h"

enum {
    SAC_MELTPOOL_IMAGE_ENDS = 2, /* sectors that end within a row: in the image's frame */
    SAC_MELTPOOL_SCAN_ENDS = 3   /* and with scan */
};

typedef struct sac_meltpool_sectors {
    /* Of row y, the j-th sector is at end[j - 1][y] <= x < end[j][y]; the last goes on to n. Where
     * dy is 0 all ends are n. */
    uint8_t end[SAC_MELTPOOL_SCAN_ENDS][SAC_MELTPOOL_MAX_ROI];
    int32_t above, below;            /* the leftmost sector of a row */
    int32_t n_above;                 /* rows with dy < 0 */
    bool has_level;                  /* the next has dy = 0 */
    int32_t before_level, level;     /* its pixels with dx < 0, and with dx <= 0 */
    int32_t level_left, level_right; /* sectors of where dx < 0, and of where dx > 0 */
} sac_meltpool_sectors;

SAC_MELTPOOL_INLINE int32_t sac_meltpool_clamp(int32_t x, int32_t n)
{
    return x < 0 ? 0 : x > n ? n : x;
}

/* Where the centre is from the ROI's first pixel: below 2^30, like all that is made of it, so that
 * loops over rows are in 32 bits and doubles, which every set of vectors has. */
typedef struct sac_meltpool_centre {
    int32_t x, y;
} sac_meltpool_centre;

SAC_MELTPOOL_INLINE sac_meltpool_centre sac_meltpool_centre_of(const sac_meltpool_frame_job *job)
{
    return (sac_meltpool_centre){(int32_t)(job->cx_q16 - (int64_t)job->x0 * 65536),
                                 (int32_t)(job->cy_q16 - (int64_t)job->y0 * 65536)};
}

/*
 * In a row of the image's frame, sectors 1 and 4 are where |dx| <= r, the largest r with 3 r^2 <
 * dy^2 or 0. A double finds it or one less: |dy| < 2^30, and the factor is below 1 / sqrt(3) by
 * 3e-14 of it, which is more than both roundings and below 2^-15 in all.
 */
SAC_MELTPOOL_INLINE void sac_meltpool_image_ends(sac_meltpool_sectors *s,
                                                 const sac_meltpool_frame_job *job)
{
    const sac_meltpool_centre centre = sac_meltpool_centre_of(job);
    const int32_t n = job->n; /* not read again after stores of bytes */
    for (int32_t y = 0; y < n; y++) {
        const int32_t dy = y * 65536 - centre.y, high = dy < 0 ? -dy : dy;
        const int32_t low = (int32_t)(high * 0.57735026918961);
        const uint64_t next = (uint32_t)(low + 1),
                       square = (uint64_t)(uint32_t)high * (uint32_t)high;
        const int32_t r = low + (3 * (next * next) < square);
        s->end[0][y] = (uint8_t)sac_meltpool_clamp((centre.x - r + 65535) >> 16, n);
        s->end[1][y] = (uint8_t)sac_meltpool_clamp(((centre.x + r) >> 16) + 1, n);
    }
    s->above = 3;
    s->below = 2;
    s->level_left = 3;
    s->level_right = 0;
}

/* The sector of a direction with scan; products are below 2^45. */
SAC_MELTPOOL_INLINE int32_t sac_meltpool_scan_sector(const sac_meltpool_frame_job *job, int64_t dx,
                                                     int64_t dy)
{
    int64_t cross[3];
    for (int32_t k = 0; k < 3; k++)
        cross[k] = job->edge_x[k] * dy - job->edge_y[k] * dx;
    /* What is in edge 0's direction has not reached edge 1, what is opposite to it has. */
    if (cross[0] < 0 || (cross[0] == 0 && cross[1] > 0))
        return 3 + (cross[1] <= 0) + (cross[2] <= 0);
    return (cross[1] >= 0) + (cross[2] >= 0);
}

/*
 * Where rows from <= y < to cross edge k's line: e_y dx = e_x dy. Below the centre the pixel on the
 * line belongs to what is left of it, above it does not. The quotient of integers below 2^53 is
 * rounded to an integer only where it is one: a / b is 1 / b > a / b 2^-53 away from it.
 */
SAC_MELTPOOL_INLINE void sac_meltpool_scan_end(uint8_t *end, const sac_meltpool_frame_job *job,
                                               int32_t k, int32_t from, int32_t to, bool is_above)
{
    const sac_meltpool_centre centre = sac_meltpool_centre_of(job);
    const int32_t sign = job->edge_y[k] < 0 ? -1 : 1;
    const double ex = sign * job->edge_x[k], ey = sign * job->edge_y[k];
    const int32_t n = job->n;
    for (int32_t y = from; y < to; y++) {
        const double product = ex * (y * 65536 - centre.y) - is_above; /* below 2^46: exact */
        const double crossing = floor(product / ey) + centre.x;        /* ey is an integer */
        end[y] = (uint8_t)sac_meltpool_clamp((int32_t)floor(crossing / 65536) + 1, n);
    }
}

/* A level line comes last, and is not reached. */
SAC_MELTPOOL_INLINE void sac_meltpool_scan_ends(sac_meltpool_sectors *s,
                                                const sac_meltpool_frame_job *job)
{
    const int64_t far = INT64_C(1) << 30; /* to the left, and a little above or below */
    s->above = sac_meltpool_scan_sector(job, -far, -1);
    s->below = sac_meltpool_scan_sector(job, -far, 1);
    s->level_left = sac_meltpool_scan_sector(job, -1, 0);
    s->level_right = sac_meltpool_scan_sector(job, 1, 0);
    for (int32_t j = 0; j < SAC_MELTPOOL_SCAN_ENDS; j++) {
        const int32_t up = (s->above + 1 + j) % 3, down = (s->below + 3 - j) % 3;
        if (job->edge_y[up] == 0)
            memset(s->end[j], job->n, (size_t)s->n_above);
        else
            sac_meltpool_scan_end(s->end[j], job, up, 0, s->n_above, true);
        if (job->edge_y[down] == 0)
            memset(s->end[j] + s->n_above, job->n, (size_t)(job->n - s->n_above));
        else
            sac_meltpool_scan_end(s->end[j], job, down, s->n_above, job->n, false);
    }
}

SAC_MELTPOOL_INLINE void sac_meltpool_sector_ends(sac_meltpool_sectors *s,
                                                  const sac_meltpool_frame_job *job)
{
    const sac_meltpool_centre centre = sac_meltpool_centre_of(job);
    const int32_t n = job->n, n_above = sac_meltpool_clamp((centre.y + 65535) >> 16, n);
    s->n_above = n_above;
    s->has_level = n_above < n && n_above * 65536 == centre.y;
    s->before_level = sac_meltpool_clamp((centre.x + 65535) >> 16, n);
    s->level = sac_meltpool_clamp((centre.x >> 16) + 1, n);
    if (job->scan)
        sac_meltpool_scan_ends(s, job);
    else
        sac_meltpool_image_ends(s, job);
    for (int32_t j = 0; j < SAC_MELTPOOL_SCAN_ENDS && s->has_level; j++)
        s->end[j][n_above] = (uint8_t)n;
}

/* Sums of all rows with dy < 0 or of all others: of all pixels, and of those before each end. */
typedef struct sac_meltpool_part {
    uint32_t all, before[SAC_MELTPOOL_SCAN_ENDS];
} sac_meltpool_part;

/* The j-th sector's, of n ends. */
SAC_MELTPOOL_INLINE uint32_t sac_meltpool_between(const sac_meltpool_part *part, int32_t j,
                                                  int32_t n_ends)
{
    return (j < n_ends ? part->before[j] : part->all) - (j > 0 ? part->before[j - 1] : 0);
}

/* The sum of n pixels side by side. */
typedef uint32_t (*sac_meltpool_sum_fn)(const uint8_t *pixels, int32_t n);

/* pixels: the ROI's first; its rows are `row` bytes apart. */
SAC_MELTPOOL_INLINE void sac_meltpool_polar(uint32_t *polar, const sac_meltpool_frame_job *job,
                                            const sac_meltpool_sectors *s,
                                            const sac_meltpool_part *above,
                                            const sac_meltpool_part *below, sac_meltpool_sum_fn sum,
                                            const uint8_t *pixels, ptrdiff_t row)
{
    const int32_t n_ends = job->scan ? SAC_MELTPOOL_SCAN_ENDS : SAC_MELTPOOL_IMAGE_ENDS;
    memset(polar, 0, SAC_MELTPOOL_SECTORS * sizeof *polar);
    for (int32_t j = 0; j <= n_ends; j++) {
        polar[(s->above + j) % SAC_MELTPOOL_SECTORS] += sac_meltpool_between(above, j, n_ends);
        polar[(s->below + SAC_MELTPOOL_SECTORS - j) % SAC_MELTPOOL_SECTORS] +=
            sac_meltpool_between(below, j, n_ends);
    }
    if (!s->has_level)
        return;
    const uint8_t *level = pixels + s->n_above * row;
    const uint32_t left = sum(level, s->before_level), until = sum(level, s->level);
    const uint32_t all = sum(level, job->n);
    polar[s->below] -= all; /* where its ends have put it */
    polar[s->level_left] += left;
    polar[0] += until - left; /* the centre's own pixel */
    polar[s->level_right] += all - until;
}

#endif
