/*
 * rgb2hsv_u8 in single precision: v0 writes triples, v1 writes planes, where a vector of pixels is
 * stored at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/rgb2hsv_u8/rgb2hsv_u8.h"

static inline void convert(float *h, float *s, float *v, const uint8_t *rgb)
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

void sac_rgb2hsv_u8_v0(const sac_hsv *out, const uint8_t *rgb, int64_t n)
{
    float *triple = out->h;
    for (int64_t i = 0; i < n; i++)
        convert(&triple[3 * i], &triple[3 * i + 1], &triple[3 * i + 2], rgb + 3 * i);
}

void sac_rgb2hsv_u8_v1(const sac_hsv *out, const uint8_t *rgb, int64_t n)
{
    float *restrict h = out->h, *restrict s = out->s, *restrict v = out->v;
    for (int64_t i = 0; i < n; i++)
        convert(&h[i], &s[i], &v[i], rgb + 3 * i);
}
