/*
 * rgb2hsv_u8 in single precision: v0 writes triples, v1 writes planes, where a vector of pixels is
 * stored at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/rgb2hsv_u8/ladder/rgb2hsv_u8_pixel.h"
#include "equalize/kernels/rgb2hsv_u8/rgb2hsv_u8.h"

void sac_rgb2hsv_u8_v0(const sac_hsv *out, const uint8_t *rgb, int64_t n)
{
    float *triple = out->h;
    for (int64_t i = 0; i < n; i++)
        sac_rgb2hsv_pixel(&triple[3 * i], &triple[3 * i + 1], &triple[3 * i + 2], rgb + 3 * i);
}

void sac_rgb2hsv_u8_v1(const sac_hsv *out, const uint8_t *rgb, int64_t n)
{
    float *restrict h = out->h, *restrict s = out->s, *restrict v = out->v;
    for (int64_t i = 0; i < n; i++)
        sac_rgb2hsv_pixel(&h[i], &s[i], &v[i], rgb + 3 * i);
}
