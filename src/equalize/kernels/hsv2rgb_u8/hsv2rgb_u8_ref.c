/*
 * hsv2rgb_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "hsv2rgb_u8.h"

static uint8_t channel(double n, double h, double s, double v)
{
    double k = fmod(n + h / 60, 6);
    double f = v - v * s * fmax(0, fmin(fmin(k, 4 - k), 1));
    return (uint8_t)floor(255 * f + 0.5);
}

void sac_hsv2rgb_u8_ref(uint8_t *rgb, const sac_hsv *in, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double h = (double)in->h[i * in->step], s = (double)in->s[i * in->step];
        double v = (double)in->v[i * in->step];
        rgb[3 * i] = channel(5, h, s, v);
        rgb[3 * i + 1] = channel(3, h, s, v);
        rgb[3 * i + 2] = channel(1, h, s, v);
    }
}
