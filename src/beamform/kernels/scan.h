/*
 * Scan conversion: a picture's points between those of a polar grid.
 *
 * A point of the picture has the polar coordinates a, e, r; in steps of the grid from its first
 * point they are u, v, w. Where 0 <= u <= n - 1 along each axis, the picture's value is the linear
 * interpolation along all three between the grid's neighbours; elsewhere it is 0. (1e-9 of a step
 * beyond an end is still there.) Where the grid has one elevation, e is not looked at.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_SCAN_H
#define SAC_BEAMFORM_SCAN_H

#include <saccade/beamform.h>

#include "base/multiply_add.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where points of a picture lie: the neighbour with the lowest indices, -1 outside; how far from it
 * along each axis, in steps, 0 to 1. */
typedef struct sac_scan_place {
    int32_t at;
    float u, v, w;
} sac_scan_place;

/* A conversion's tables; the places may be on a device. */
typedef struct sac_scan {
    int64_t n_points;             /* of the picture */
    const sac_scan_place *places; /* (n_points) */
    int64_t along_v, along_w;     /* how far apart neighbours lie along e and r, in values */
    bool is_flat;                 /* one elevation */
} sac_scan;

/* Sets all but the places, and fills those, points [first, first + n) of the picture into
 * places[first ...]. */
SAC_INTERNAL void sac_scan_init(sac_scan *scan, const sac_grid *picture, const sac_grid *grid);
SAC_INTERNAL void sac_scan_fill(sac_scan_place *places, const sac_grid *picture,
                                const sac_grid *grid, const sac_sector *sector, int64_t first,
                                int64_t n);

SAC_HOST_DEVICE static inline float sac_scan_between(float a, float b, float share)
{
    return sac_multiply_add(share, b - a, a);
}

/* In the plane of one elevation, from the neighbour at `in`. */
SAC_HOST_DEVICE static inline float sac_scan_flat(const float *in, const sac_scan_place *p,
                                                  int64_t along_w)
{
    return sac_scan_between(sac_scan_between(in[0], in[1], p->u),
                            sac_scan_between(in[along_w], in[along_w + 1], p->u), p->w);
}

/* The value of a point of the picture, of an image (n_r, n_e, n_a). */
SAC_HOST_DEVICE static inline float sac_scan_value(const float *image, const sac_scan *scan,
                                                   const sac_scan_place *p)
{
    if (p->at < 0)
        return 0;
    const float *in = image + p->at;
    const float near = sac_scan_flat(in, p, scan->along_w);
    return scan->is_flat
               ? near
               : sac_scan_between(near, sac_scan_flat(in + scan->along_v, p, scan->along_w), p->v);
}

/* out (n_images, scan->n_points) from in (n_images, n_in), contiguous, both on the device. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_scan_cuda(sac_gpu_stream stream, float *out,
                                                    const float *in, const sac_scan *scan,
                                                    int64_t n_images, int64_t n_in);

#ifdef __cplusplus
}
#endif
#endif
