/*
 * One pixel of rgb2hsv_u8 in single precision, for C and CUDA: rounded as written, so the same
 * bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_RGB2HSV_U8_LADDER_RGB2HSV_U8_PIXEL_H
#define SAC_EQUALIZE_RGB2HSV_U8_LADDER_RGB2HSV_U8_PIXEL_H

#include <stdint.h>

#include "base/host_device.h"

SAC_HOST_DEVICE static inline void sac_rgb2hsv_pixel(float *h, float *s, float *v,
                                                     const uint8_t *rgb)
{
    float r = rgb[0], g = rgb[1], b = rgb[2];
    float rg = r > g ? r : g, max = rg > b ? rg : b;
    float rg_min = r < g ? r : g, range = max - (rg_min < b ? rg_min : b);
    float scale = range > 0 ? 60 / range : 0;
    float hue = max == r   ? (g - b) * scale
                : max == g ? 120 + (b - r) * scale
                           : 240 + (r - g) * scale;
    hue = range > 0 ? hue : 0;
    *h = hue < 0 ? hue + 360 : hue;
    *s = max > 0 ? range / max : 0;
    *v = max / 255;
}

#endif
