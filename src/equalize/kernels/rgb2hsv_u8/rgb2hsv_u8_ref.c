/*
 * rgb2hsv_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "rgb2hsv_u8.h"

static double hue(double r, double g, double b, double max, double range)
{
    if (range == 0)
        return 0;
    double sixth = max == r   ? (g - b) / range
                   : max == g ? 2 + (b - r) / range
                              : 4 + (r - g) / range;
    return 60 * (sixth < 0 ? sixth + 6 : sixth);
}

void sac_rgb2hsv_u8_ref(const sac_hsv *out, const uint8_t *rgb, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        double max = fmax(r, fmax(g, b)), range = max - fmin(r, fmin(g, b));
        out->h[i * out->step] = (float)hue(r, g, b, max, range);
        out->s[i * out->step] = (float)(max > 0 ? range / max : 0);
        out->v[i * out->step] = (float)(max / 255);
    }
}
