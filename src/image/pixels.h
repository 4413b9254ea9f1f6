/*
 * How kernels see a region of a picture: channel pointers that share their strides. Any layout
 * fits: interleaved, planar, BGR, padded rows, upside down.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IMAGE_PIXELS_H
#define SAC_IMAGE_PIXELS_H

#include <stddef.h>
#include <stdint.h>

/* Strides are in bytes, multiples of the sample size, of either sign. */
typedef struct sac_pixels {
    void *color[3];   /* first pixel's R, G, B in any order; gray uses [0] alone */
    void *alpha;      /* first pixel's alpha, or NULL */
    int32_t n_colors; /* 1 or 3 */
    ptrdiff_t pixel;  /* from a pixel to its right neighbor */
    ptrdiff_t row;    /* from a row to the next */
    int64_t w, h;
} sac_pixels;

#endif
