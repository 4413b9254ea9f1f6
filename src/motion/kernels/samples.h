/*
 * A picture of u8 with 1 to 4 channels, all treated alike, in any layout; and the parameters that
 * its filters share: a window's side, weights, and the rows that a call filters.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_SAMPLES_H
#define SAC_MOTION_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/* Strides are in bytes, of either sign. */
typedef struct sac_samples {
    uint8_t *data;     /* the first pixel's first channel */
    ptrdiff_t channel; /* from a channel to the next */
    ptrdiff_t pixel;   /* from a pixel to its right neighbor */
    ptrdiff_t row;     /* from a row to the next */
    int64_t w, h;
    int32_t n_channels; /* 1 to 4 */
} sac_samples;

typedef struct sac_filter {
    int32_t size;      /* of the window: 3 or 5 */
    int32_t weight[3]; /* gaussian_u8: w_0 in the middle, w_1, w_2; w_0 + 2 w_1 + 2 w_2 = 256 */
} sac_filter;

/*
 * A filter makes out, which is rows y, y + 1, ... of the filtered picture, from the whole picture
 * `in`: out has the same w and n_channels, and any layout. Beyond the borders the picture is
 * reflected, and the edge is not repeated: x(-1) = x(1). No overlap of out and in.
 */
typedef void sac_filter_u8(const sac_samples *out, const sac_samples *in, int64_t y,
                           const sac_filter *f);
typedef sac_filter_u8 *sac_filter_u8_fn;

#endif
