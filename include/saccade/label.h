/*
 * Connected components of a picture: labels the pixels that are at least as bright as a threshold,
 * and measures each component. Pixels are connected by their edges (4-connected). Components are
 * numbered in the raster order of their first pixels.
 *
 *     int64_t n = 0;
 *     if (sac_label(&labels, &n, &picture, 60, &err) == SAC_OK)
 *         st = sac_label_components(components, n, &labels, &picture, &err);
 *
 * Threads: every function may be called from any thread at any time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_LABEL_H
#define SACCADE_LABEL_H

#include <saccade/array.h>
#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * labels[y, x] = 0 where in[y, x] < threshold, otherwise the number of its component, 1 .. *n.
 *
 * `in` is (h, w) of u8, `labels` (h, w) of i32, both in CPU memory. The stride between rows is
 * free, the pixels of a row are adjacent. w h < 2^31; `labels` must not overlap `in`. threshold is
 * 0..256. Works in the calling thread, and allocates up to 6 bytes per pixel, which it frees.
 * SAC_E_SHAPE; SAC_E_INVALID (NULL, the threshold); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_label(const sac_array *labels, int64_t *n, const sac_array *in,
                                           int32_t threshold, sac_error *err);

/* Measures of one component. */
typedef struct sac_component {
    int64_t area;           /* pixels */
    int64_t x0, y0, x1, y1; /* bounding box: x0 <= x < x1, y0 <= y < y1 */
    uint64_t intensity;     /* sum of the values of its pixels */
    double x, y;            /* centroid */
    double xx, xy, yy;      /* second central moments, pixels^2: means of squares and products */
} sac_component;

/*
 * Measures the components with labels 1 .. n, into components (n). `labels` and `in` are those of
 * sac_label; labels above n are ignored. A component without pixels is all 0. Areas, boxes and
 * intensities are exact, centroids are rounded once, moments are summed in double precision in
 * raster order. SAC_E_SHAPE; SAC_E_INVALID (NULL, n < 0); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_label_components(sac_component *components, int64_t n,
                                                      const sac_array *labels, const sac_array *in,
                                                      sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
