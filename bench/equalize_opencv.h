/*
 * OpenCV's way to equalize a picture, for comparison.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_EQUALIZE_OPENCV_H
#define BENCH_EQUALIZE_OPENCV_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "4.6.0"; NULL in a build without OpenCV. */
const char *bench_opencv_version(void);

void bench_opencv_threads(int n);

/*
 * Equalizes (h, w, n_channels), contiguous, n_channels 1 or 3 (RGB): gray by equalizeHist, color by
 * cvtColor to HSV, equalizeHist of V, cvtColor back. False where OpenCV threw. Keeps its temporary
 * pictures from call to call, as a video program would.
 */
bool bench_opencv_equalize(uint8_t *out, const uint8_t *in, int w, int h, int n_channels);

#ifdef __cplusplus
}
#endif
#endif
