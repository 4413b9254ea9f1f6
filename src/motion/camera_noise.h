/*
 * A camera's noise: the sums that frames leave, and the figures from them. docs/camera-noise.md has
 * the model.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_CAMERA_NOISE_H
#define SAC_MOTION_CAMERA_NOISE_H

#include <saccade/measure_video.h>

#include "base/array_check.h"

#define SAC_NOISE_STEPS 160

/* Of the differences of frames that follow each other, summed over the pairs; of one class. */
typedef struct sac_noise_sums {
    double n, brightness;        /* samples, and their means of both frames */
    double clipped;              /* samples at 0 or white */
    double square;               /* of single differences */
    double total, rows, columns; /* squares about the pair's mean: of all, between rows, columns */
    double pixel_freedom;        /* n - rows - columns + 1 */
    double row_freedom, column_freedom;      /* rows - 1, columns - 1 */
    double row_weight, column_weight;        /* n - sum of squared row (column) sizes / n */
    double mean;                             /* n times the squared mean */
    double n_pairs, row_share, column_share; /* squared sizes / n */
} sac_noise_sums;

/* What is summed over the samples of one row, or one column, of a class. */
typedef struct sac_noise_line {
    int64_t sum;
    int64_t n;
} sac_noise_line;

struct sac_camera_noise {
    sac_camera_noise_desc desc;
    int64_t n_frames;
    uint8_t *bin;            /* (2 white + 1) class of the sum of two samples */
    uint8_t *last;           /* (h, w, channels) the frame before, packed */
    uint64_t *sum, *squares; /* (channels, h, w) of every sample over the frames */
    sac_noise_sums *sums;    /* (channels, n_bins + 1) */

    /* Of the pair at work, one channel; 0 between pairs. */
    sac_noise_line *columns;     /* (w, n_bins + 1) */
    sac_noise_line *row;         /* (n_bins + 1) */
    struct sac_noise_pair *pair; /* (n_bins + 1) */
    uint64_t *spread; /* (n_bins + 1, SAC_NOISE_STEPS) pixels by their variance over time */
};

/* A pair of frames, of one class. */
typedef struct sac_noise_pair {
    double n, sum, square;
    double row_squares, row_sizes, n_rows; /* sum^2 / n, n^2 and 1, summed over its rows */
    double column_squares, column_sizes, n_columns;
    double brightness, clipped;
} sac_noise_pair;

#endif
