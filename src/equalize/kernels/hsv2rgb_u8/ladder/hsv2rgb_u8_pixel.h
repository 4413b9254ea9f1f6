/*
 * One pixel of hsv2rgb_u8 in single precision, for C and CUDA: rounded as written, so the same
 * bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_HSV2RGB_U8_LADDER_HSV2RGB_U8_PIXEL_H
#define SAC_EQUALIZE_HSV2RGB_U8_LADDER_HSV2RGB_U8_PIXEL_H

#include <stdint.h>

#include "base/host_device.h"

SAC_HOST_DEVICE static inline uint8_t sac_hsv2rgb_channel(float n, float sixth, float s, float v)
{
    float k = n + sixth;
    k = k >= 6 ? k - 6 : k;
    float low = k < 4 - k ? k : 4 - k;
    low = low < 1 ? low : 1;
    low = low > 0 ? low : 0;
    return (uint8_t)(int)(255 * (v - v * s * low) + 0.5f);
}

SAC_HOST_DEVICE static inline void sac_hsv2rgb_pixel(uint8_t *rgb, float h, float s, float v)
{
    float sixth = h / 60;
    rgb[0] = sac_hsv2rgb_channel(5, sixth, s, v);
    rgb[1] = sac_hsv2rgb_channel(3, sixth, s, v);
    rgb[2] = sac_hsv2rgb_channel(1, sixth, s, v);
}

#endif
