/*
 * OpenCV's way to what motion's pipelines do, for comparison.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_MOTION_OPENCV_H
#define BENCH_MOTION_OPENCV_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * (h, w, 3) BGR, contiguous. False where OpenCV threw. Temporary pictures are kept from call to
 * call, as a video program would.
 */

/* absdiff, cvtColor to gray (weighted, where saccade sums), applyColorMap. */
bool bench_opencv_heatmap(uint8_t *out, const uint8_t *current, const uint8_t *previous, int w,
                          int h);

/* absdiff, split, the largest channel, threshold, setTo black and red: saccade's mask. */
bool bench_opencv_noise(uint8_t *out, const uint8_t *current, const uint8_t *previous, int w, int h,
                        int threshold);

/* Windows of 3 x 3 or 5 x 5; borders as saccade's, but medians repeat the edge. */
typedef enum bench_opencv_filter {
    BENCH_GAUSSIAN3, /* sigma 0.8 */
    BENCH_MEDIAN3,
    BENCH_MEDIAN5,
    BENCH_MEAN3,
    BENCH_AVERAGE /* over time: accumulateWeighted in floats, which knows nothing of motion */
} bench_opencv_filter;

bool bench_opencv_denoise(uint8_t *out, const uint8_t *in, int w, int h,
                          bench_opencv_filter filter);

/* factor c + add, of each sample: convertTo. */
bool bench_opencv_levels(uint8_t *out, const uint8_t *in, int w, int h, double factor, double add);

/* A color's distance from its luma, times `saturation`: transform by a matrix, which it
 * rounds to 1024ths. */
bool bench_opencv_colors(uint8_t *out, const uint8_t *in, int w, int h, double saturation);

#ifdef __cplusplus
}
#endif
#endif
