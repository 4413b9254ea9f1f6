/*
 * hsv2rgb_u8 in single precision: v0 reads triples, v1 reads planes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/hsv2rgb_u8/hsv2rgb_u8.h"
#include "equalize/kernels/hsv2rgb_u8/ladder/hsv2rgb_u8_pixel.h"

void sac_hsv2rgb_u8_v0(uint8_t *rgb, const sac_hsv *in, int64_t n)
{
    const float *triple = in->h;
    for (int64_t i = 0; i < n; i++)
        sac_hsv2rgb_pixel(rgb + 3 * i, triple[3 * i], triple[3 * i + 1], triple[3 * i + 2]);
}

void sac_hsv2rgb_u8_v1(uint8_t *rgb, const sac_hsv *in, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sac_hsv2rgb_pixel(rgb + 3 * i, in->h[i], in->s[i], in->v[i]);
}
