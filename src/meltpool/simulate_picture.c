/*
 * Light of the process zone and of spatters on a simulated sensor, and the sensor's own noise.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/simulator.h"

#define FAINT 8.0 /* e^-8 of the brightest zone is a third of a count: light is left out below */
#define SPATTER_SIGMA 0.9 /* pixels */

#define OFFSET 5.8
#define READ_SIGMA 1.8    /* counts */
#define SHOT 0.04         /* variance a count of light: 25 electrons a count */
#define PATTERN_SIGMA 0.7 /* counts, of the fixed pattern */
#define HOT (1.0 / 2048)  /* share of hot pixels, */
#define HOT_LEAST 20.0    /* which are so many counts brighter, */
#define HOT_MOST 120.0    /* to so many */
#define NOISE_BITS 16     /* of a random number, for one pixel */
#define NOISES (64 / NOISE_BITS)

/* Quantiles of the normal distribution at (i + 1/2) / SAC_SIM_QUANTILES, by the midpoint rule. */
static void set_quantiles(float normal[SAC_SIM_QUANTILES])
{
    const double step = 1.0 / 1024, scale = sqrt(1 / (2 * SAC_PI));
    double share = 0.5, x = 0;
    for (int i = SAC_SIM_QUANTILES / 2; i < SAC_SIM_QUANTILES; i++) {
        for (; share < (i + 0.5) / SAC_SIM_QUANTILES; x += step)
            share += step * scale * sac_exact_exp(-0.5 * (x + step / 2) * (x + step / 2));
        normal[i] = (float)x;
        normal[SAC_SIM_QUANTILES - 1 - i] = -(float)x;
    }
}

void sac_sim_sensor_init(sac_sim_sensor *sensor, uint64_t seed)
{
    sac_sim_random r = sac_sim_sequence(seed, SAC_SIM_OF_SENSOR, 0);
    sensor->seed = sac_random(seed, SAC_SIM_OF_NOISE);
    set_quantiles(sensor->normal);
    for (int i = 0; i < SAC_SIM_SIZE * SAC_SIM_SIZE; i++) {
        double value = OFFSET + PATTERN_SIGMA * sac_sim_normal(&r);
        bool hot = sac_sim_uniform(&r, 0, 1) < HOT;
        double more = sac_sim_uniform(&r, HOT_LEAST, HOT_MOST);
        sensor->pattern[i] = (float)(value + (hot ? more : 0));
    }
}

void sac_sim_dark(sac_sim_sensor *sensor)
{
    memset(sensor->light, 0, sizeof sensor->light);
}

/* The pixels from `low` to `high`, within the frame. */
static void span(int32_t range[2], double low, double high)
{
    range[0] = low < 0 ? 0 : low < SAC_SIM_SIZE ? (int32_t)low : SAC_SIM_SIZE;
    range[1] = high < 0 ? 0 : high < SAC_SIM_SIZE - 1 ? (int32_t)high + 1 : SAC_SIM_SIZE;
}

/* Across, a Gaussian; along, one whose rear goes over into an exponential where both have the same
 * slope. */
void sac_sim_light_zone(sac_sim_sensor *sensor, const sac_meltpool_truth *zone)
{
    double perp = (double)zone->sigma_perp, par = (double)zone->sigma_par;
    double tail = (double)zone->tail, x0 = (double)zone->x, y0 = (double)zone->y;
    double c = sac_exact_cos((double)zone->angle_rad), s = sac_exact_sin((double)zone->angle_rad);
    double joint = -par * par / tail, at_joint = 0.5 * par * par / (tail * tail);
    double wide = sqrt(2 * FAINT) * perp, ahead = sqrt(2 * FAINT) * par;
    double behind = joint - FAINT * tail, peak = SAC_SIM_SATURATION * (double)zone->amplitude;
    int32_t xs[2], ys[2];
    span(xs, x0 + fmin(c * ahead, c * behind) - fabs(s) * wide,
         x0 + fmax(c * ahead, c * behind) + fabs(s) * wide);
    span(ys, y0 + fmin(s * ahead, s * behind) - fabs(c) * wide,
         y0 + fmax(s * ahead, s * behind) + fabs(c) * wide);
    for (int32_t y = ys[0]; y < ys[1]; y++)
        for (int32_t x = xs[0]; x < xs[1]; x++) {
            double along = (x - x0) * c + (y - y0) * s, across = (y - y0) * c - (x - x0) * s;
            double fall = 0.5 * across * across / (perp * perp);
            fall += along < joint ? at_joint + (joint - along) / tail
                                  : 0.5 * along * along / (par * par);
            if (fall < FAINT)
                sensor->light[y * SAC_SIM_SIZE + x] += (float)(peak * sac_exact_exp(-fall));
        }
}

void sac_sim_light_spatter(sac_sim_sensor *sensor, const sac_sim_spatter *spatter)
{
    const double reach = 4 * SPATTER_SIGMA;
    int32_t xs[2], ys[2];
    span(xs, spatter->at.x - reach, spatter->at.x + reach);
    span(ys, spatter->at.y - reach, spatter->at.y + reach);
    for (int32_t y = ys[0]; y < ys[1]; y++)
        for (int32_t x = xs[0]; x < xs[1]; x++) {
            double dx = x - spatter->at.x, dy = y - spatter->at.y;
            double fall = 0.5 * (dx * dx + dy * dy) / (SPATTER_SIGMA * SPATTER_SIGMA);
            sensor->light[y * SAC_SIM_SIZE + x] += (float)(spatter->light * sac_exact_exp(-fall));
        }
}

void sac_sim_expose(uint8_t *frame, const sac_sim_sensor *sensor, int64_t index)
{
    const float dark = (float)(READ_SIGMA * READ_SIGMA), shot = (float)SHOT;
    uint64_t at = (uint64_t)index * (SAC_SIM_SIZE * SAC_SIM_SIZE / NOISES), bits = 0;
    for (int i = 0; i < SAC_SIM_SIZE * SAC_SIM_SIZE; i++) {
        bits = i % NOISES == 0 ? sac_random(sensor->seed, at++) : bits >> NOISE_BITS;
        float light = sensor->light[i];
        float noise = sqrtf(dark + shot * light) * sensor->normal[bits % SAC_SIM_QUANTILES];
        float counts = sensor->pattern[i] + light + noise + 0.5F;
        frame[i] = counts <= 0 ? 0 : counts >= 255 ? 255 : (uint8_t)counts;
    }
}
