/*
 * hsv2rgb_u8 in single precision: v0 reads triples, v1 reads planes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/hsv2rgb_u8/hsv2rgb_u8.h"

static inline uint8_t channel(float n, float sixth, float s, float v)
{
    float k = n + sixth;
    k = k >= 6 ? k - 6 : k;
    float low = k < 4 - k ? k : 4 - k;
    low = low < 1 ? low : 1;
    low = low > 0 ? low : 0;
    return (uint8_t)(int)(255 * (v - v * s * low) + 0.5f);
}

static inline void convert(uint8_t *rgb, float h, float s, float v)
{
    float sixth = h / 60;
    rgb[0] = channel(5, sixth, s, v);
    rgb[1] = channel(3, sixth, s, v);
    rgb[2] = channel(1, sixth, s, v);
}

void sac_hsv2rgb_u8_v0(uint8_t *rgb, const sac_hsv *in, int64_t n)
{
    const float *triple = in->h;
    for (int64_t i = 0; i < n; i++)
        convert(rgb + 3 * i, triple[3 * i], triple[3 * i + 1], triple[3 * i + 2]);
}

void sac_hsv2rgb_u8_v1(uint8_t *rgb, const sac_hsv *in, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        convert(rgb + 3 * i, in->h[i], in->s[i], in->v[i]);
}
