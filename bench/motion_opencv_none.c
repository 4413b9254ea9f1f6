/*
 * A build without OpenCV.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion_opencv.h"

bool bench_opencv_heatmap(uint8_t *out, const uint8_t *current, const uint8_t *previous, int w,
                          int h)
{
    (void)out, (void)current, (void)previous, (void)w, (void)h;
    return false;
}

bool bench_opencv_noise(uint8_t *out, const uint8_t *current, const uint8_t *previous, int w, int h,
                        int threshold)
{
    (void)out, (void)current, (void)previous, (void)w, (void)h, (void)threshold;
    return false;
}

bool bench_opencv_denoise(uint8_t *out, const uint8_t *in, int w, int h, bench_opencv_filter filter)
{
    (void)out, (void)in, (void)w, (void)h, (void)filter;
    return false;
}

bool bench_opencv_levels(uint8_t *out, const uint8_t *in, int w, int h, double factor, double add)
{
    (void)out, (void)in, (void)w, (void)h, (void)factor, (void)add;
    return false;
}

bool bench_opencv_colors(uint8_t *out, const uint8_t *in, int w, int h, double saturation)
{
    (void)out, (void)in, (void)w, (void)h, (void)saturation;
    return false;
}
