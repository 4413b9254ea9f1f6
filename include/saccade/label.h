/*
 * Components of a picture: pixels of at least a threshold that hang together by their edges
 * (4-connected), numbered in the raster order of their first pixels, and what each is like.
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
 * labels[y, x] = 0 where in[y, x] < threshold, else 1 .. *n, its component's number. `in` is (h, w)
 * of u8 and `labels` (h, w) of i32, both in the CPU's memory, with rows anywhere and their pixels
 * side by side; w h < 2^31; no overlap. threshold 0..256. Allocates up to 6 bytes a pixel, frees
 * them, and works in the calling thread. SAC_E_SHAPE, SAC_E_INVALID (NULL, the
 * threshold), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_label(const sac_array *labels, int64_t *n, const sac_array *in,
                                           int32_t threshold, sac_error *err);

typedef struct sac_component {
    int64_t area;           /* pixels */
    int64_t x0, y0, x1, y1; /* its box: x0 <= x < x1, y0 <= y < y1 */
    uint64_t intensity;     /* sum of its pixels' values */
    double x, y;            /* centroid */
    double xx, xy, yy;      /* second central moments: means of the squares, pixels^2 */
} sac_component;

/*
 * components (n): of labels 1 .. n of a picture. `labels` and `in` as sac_label takes and makes
 * them; labels beyond n are left out. A component without pixels is all 0. Counts, boxes and
 * intensities are exact, centroids rounded once, moments a sum in double of the pixels in raster
 * order. SAC_E_SHAPE, SAC_E_INVALID (NULL, n < 0), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_label_components(sac_component *components, int64_t n,
                                                      const sac_array *labels, const sac_array *in,
                                                      sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
