/*
 * The color maps: sine after Battilana's report, gray, jet, and polynomial fits of turbo (Anton
 * Mikhailov; fit by Ruofei Du; Google LLC 2019, Apache-2.0) and of matplotlib's viridis (Stefan van
 * der Walt and Nathaniel Smith; fit by Matt Zucker; both CC0).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/heat_maps.h"

#include <math.h>

/* Powers from 0 on, for red, green and blue. */
static const double turbo[3][7] = {
    {0.13572138, 4.61539260, -42.66032258, 132.13108234, -152.94239396, 59.28637943},
    {0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604},
    {0.10667330, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973},
};
static const double viridis[3][7] = {
    {0.2777273272234177, 0.1050930431085774, -0.3308618287255563, -4.634230498983486,
     6.228269936347081, 4.776384997670288, -5.435455855934631},
    {0.005407344544966578, 1.404613529898575, 0.214847559468213, -5.799100973351585,
     14.17993336680509, -13.74514537774601, 4.645852612178535},
    {0.3340998053353061, 1.384590162594685, 0.09509516302823659, -19.33244095627987,
     56.69055260068105, -65.35303263337234, 26.3124352495832},
};

static double polynomial(const double *power, double u)
{
    double sum = 0;
    for (int i = 6; i >= 0; i--)
        sum = sum * u + power[i];
    return sum;
}

/* Color `c` of the maps but sine, u in 0..1; may be a little outside of 0..1 itself. */
static double shade(sac_heat_map map, int c, double u)
{
    switch (map) {
    case SAC_HEAT_JET:
        return 1.5 - fabs(4 * u - (3 - c)); /* red's middle at 3/4, green's 1/2, blue's 1/4 */
    case SAC_HEAT_TURBO:
        return polynomial(turbo[c], u);
    case SAC_HEAT_VIRIDIS:
        return polynomial(viridis[c], u);
    default:
        return u;
    }
}

/* The sine map truncates, as the report's program does; the others round to nearest. */
static uint8_t level(sac_heat_map map, int c, int32_t d, int32_t scale)
{
    double u = (double)d / scale;
    if (map == SAC_HEAT_SINE)
        return (uint8_t)(255 * fmax(0, sin(M_PI * u + (c - 1) * M_PI / 2)));
    if (d > scale)
        u = (double)((d - 1) % scale + 1) / scale;
    return (uint8_t)(255 * fmin(fmax(shade(map, c, u), 0), 1) + 0.5);
}

static bool is_mirrored(const sac_heat_table *t)
{
    bool is = true;
    for (int d = 0; d <= SAC_HEAT_MAX; d++) {
        is = is && t->color[2][d] == t->color[0][SAC_HEAT_MAX - d];
        is = is && t->color[1][d] == t->color[1][SAC_HEAT_MAX - d];
        is = is && (d > SAC_HEAT_MAX / 2 || t->color[0][d] == 0);
    }
    return is;
}

void sac_heat_table_make(sac_heat_table *table, sac_heat_map map, int32_t scale)
{
    *table = (sac_heat_table){0};
    for (int c = 0; c < 3; c++)
        for (int32_t d = 0; d <= SAC_HEAT_MAX; d++)
            table->color[c][d] = level(map, c, d, scale);
    table->is_mirrored = is_mirrored(table);
}

void sac_heat_words(uint32_t *words, const sac_heat_table *table)
{
    for (int d = 0; d < 768; d++)
        words[d] = (uint32_t)table->color[0][d] | (uint32_t)table->color[1][d] << 8 |
                   (uint32_t)table->color[2][d] << 16 | 0xff000000;
}
