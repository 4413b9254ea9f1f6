/*
 * A synthetic photograph for machines that have none: a landscape in the morning.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "demo.h"

typedef struct rgb {
    double r, g, b;
} rgb;

static rgb mix(rgb a, rgb b, double t)
{
    t = fmin(fmax(t, 0), 1);
    return (rgb){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

/* A repeatable number in -0.5..0.5 for each point: the grain of a sensor (Steele, Lea and
 * Flood's SplitMix64). */
static double grain(int64_t x, int64_t y)
{
    uint64_t n = ((uint64_t)y << 32 | (uint64_t)x) * UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
    n ^= n >> 31;
    return (double)(n & 0xffff) / 65535 - 0.5;
}

/* Height of mountain range `i` at x, both in units of the picture's height. */
static double ridge(int i, double x)
{
    double phase = 1.7 * i;
    return 0.50 + 0.13 * i + 0.05 * sin(3 * x + phase) + 0.025 * sin(11 * x + 2 * phase) +
           0.008 * sin(37 * x + 5 * phase);
}

/* The color at (x, y), the picture being 1 high. */
static rgb color_at(double x, double y)
{
    static const rgb zenith = {105, 140, 205};
    static const rgb horizon = {250, 190, 120};
    static const rgb sun = {255, 245, 215};
    static const rgb far = {200, 180, 190};
    static const rgb near = {78, 112, 76};
    enum { RANGES = 4 };
    double from_sun = hypot(x - 0.9, y - 0.42);
    rgb c = mix(zenith, horizon, y * 1.7);
    c = mix(c, sun, from_sun < 0.045 ? 1 : 0.5 * exp(-6 * from_sun));
    for (int i = 0; i < RANGES; i++) {
        double depth = y - ridge(i, x);
        if (depth > 0) {
            c = mix(far, near, (double)i / (RANGES - 1) + 0.5 * depth);
        }
    }
    return c;
}

static uint8_t sample(double value)
{
    return (uint8_t)fmin(fmax(value + 0.5, 0), 255);
}

void cli_demo_scene(const sac_array *picture)
{
    const double grain_size = 9;
    double h = (double)picture->shape[0];
    for (int64_t y = 0; y < picture->shape[0]; y++) {
        for (int64_t x = 0; x < picture->shape[1]; x++) {
            uint8_t *p = (uint8_t *)picture->data + y * picture->stride[0] + x * picture->stride[1];
            rgb c = color_at((double)x / h, (double)y / h);
            double noise = grain_size * grain(x, y);
            p[0] = sample(c.r + noise);
            p[1] = sample(c.g + noise);
            p[2] = sample(c.b + noise);
        }
    }
}
