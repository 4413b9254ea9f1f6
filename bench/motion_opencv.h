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

#ifdef __cplusplus
}
#endif
#endif
