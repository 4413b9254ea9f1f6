/*
 * A build without OpenCV: nothing to compare with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>

#include "equalize_opencv.h"

const char *bench_opencv_version(void)
{
    return NULL;
}

void bench_opencv_threads(int n)
{
    (void)n;
}

bool bench_opencv_equalize(uint8_t *out, const uint8_t *in, int w, int h, int n_channels)
{
    (void)out;
    (void)in;
    (void)w;
    (void)h;
    (void)n_channels;
    return false;
}
