/*
 * The diffraction estimate of docs/numerics.md, "Point spread": what delay-and-sum makes of a point
 * to first order in the distance from it, and its -6 dB widths.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_POINT_SPREAD_H
#define SAC_TESTS_POINT_SPREAD_H

#include <math.h>

#include <saccade/beamform.h>

#define SPREAD_PI 3.14159265358979323846

typedef struct point_spread {
    const sac_acquisition *acquisition;
    const double
        *weights; /* (n_elements): receive apodization at the point, sac_beamform_get_delays */
    double p[3];
    double fe_hz; /* the echo's center */
} point_spread;

/* (to - from) / |to - from|; returns the distance. */
static inline double spread_direction(double out[3], const double to[3], const double from[3])
{
    double d = 0;
    for (int i = 0; i < 3; i++) {
        out[i] = to[i] - from[i];
        d += out[i] * out[i];
    }
    for (int i = 0; i < 3; i++)
        out[i] /= sqrt(d);
    return sqrt(d);
}

static inline double spread_sinc(double x)
{
    return fabs(x) < 1e-9 ? 1 : sin(SPREAD_PI * x) / (SPREAD_PI * x);
}

/* An element's directivity towards v; its width lies in the plane y = const. */
static inline double spread_element(const point_spread *s, const sac_element *e, const double v[3])
{
    const double lambda = s->acquisition->c_m_s / s->acquisition->fc_hz, *n = e->normal;
    const double flat = hypot(n[0], n[2]), u[3] = {n[2] / flat, 0, -n[0] / flat};
    const double w[3] = {n[1] * u[2], n[2] * u[0] - n[0] * u[2], -n[1] * u[0]};
    const double along = v[0] * u[0] + v[2] * u[2];
    const double across = v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
    return (v[0] * n[0] + v[1] * n[1] + v[2] * n[2]) * spread_sinc(e->width_m * along / lambda) *
           spread_sinc(e->height_m * across / lambda);
}

/* Which element fires first in a transmit, and so stands for the wave. */
static inline const sac_element *spread_firing(const sac_acquisition *a, int32_t t)
{
    int32_t e = 0;
    while (a->tx_apodization && e < a->n_elements - 1 &&
           a->tx_apodization[(ptrdiff_t)t * a->n_elements + e] == 0)
        e++;
    return &a->elements[e];
}

/* c grad tau_tx at p, and the wave's strength there: by stationary phase that of the elements which
 * make it, over cos for the slanted view of them and once more its root for each axis of spread. */
static inline double spread_wave(double v[3], const point_spread *s, const sac_transmit *t)
{
    const sac_element *e = spread_firing(s->acquisition, (int32_t)(t - s->acquisition->transmits));
    double sign = 1;
    if (t->kind == SAC_TRANSMIT_PLANE) {
        v[0] = sin(t->azimuth_rad) * cos(t->elevation_rad);
        v[1] = sin(t->elevation_rad);
        v[2] = cos(t->azimuth_rad) * cos(t->elevation_rad);
    } else if (t->kind == SAC_TRANSMIT_ELEMENT) {
        e = &s->acquisition->elements[t->element];
        double d = spread_direction(v, s->p, e->position_m);
        return spread_element(s, e, v) / d;
    } else {
        sign = t->kind == SAC_TRANSMIT_FOCUSED && s->p[2] < t->source_m[2] ? -1 : 1;
        (void)spread_direction(v, s->p, t->source_m);
    }
    for (int i = 0; i < 3; i++)
        v[i] *= sign;
    return t->weight * spread_element(s, e, v) / sqrt(v[2]);
}

/* The way back to element r: its direction, and how strong what it takes is. To a line it has no
 * part along it, and spreads in one direction alone: stationary phase. 0: it does not receive. */
static inline double spread_back(double back[3], const point_spread *s, int32_t t, int32_t r)
{
    const sac_acquisition *a = s->acquisition;
    const sac_element *e = &a->elements[r];
    const int32_t shape = a->shapes ? a->shapes[r] : SAC_SHAPE_AREA;
    double from[3] = {e->position_m[0], e->position_m[1], e->position_m[2]};
    if (a->receives && !a->receives[(ptrdiff_t)t * a->n_elements + r])
        return 0;
    if (shape != SAC_SHAPE_AREA)
        from[shape == SAC_SHAPE_ROW ? 0 : 1] = s->p[shape == SAC_SHAPE_ROW ? 0 : 1];
    const double d = spread_direction(back, s->p, from);
    return spread_element(s, e, back) / (shape == SAC_SHAPE_AREA ? d : sqrt(d));
}

/* |h| at an offset from the point. */
static inline double spread_at(const point_spread *s, const double offset[3])
{
    const sac_acquisition *a = s->acquisition;
    double sigma_s = sqrt(2 * log(2)) / (SPREAD_PI * a->bandwidth * a->fc_hz), re = 0, im = 0;
    for (int32_t t = 0; t < a->n_transmits; t++) {
        double out[3], strength = spread_wave(out, s, &a->transmits[t]);
        for (int32_t r = 0; r < a->n_elements; r++) {
            double back[3] = {0}, taken = spread_back(back, s, t, r), way = 0;
            for (int i = 0; i < 3; i++)
                way += (out[i] + back[i]) * offset[i];
            double u = way / a->c_m_s;
            double g = strength * s->weights[r] * taken * exp(-u * u / (2 * sigma_s * sigma_s));
            re += g * cos(2 * SPREAD_PI * s->fe_hz * u);
            im += g * sin(2 * SPREAD_PI * s->fe_hz * u);
        }
    }
    return hypot(re, im);
}

/* Full width at half of the peak along a unit vector. */
static inline double spread_width_along(const point_spread *s, const double along[3])
{
    const double zero[3] = {0, 0, 0}, step = 0.02 * s->acquisition->c_m_s / s->fe_hz;
    double half = 0.5 * spread_at(s, zero), width = 0;
    for (int side = -1; side <= 1; side += 2) {
        double before = 2 * half, now = before;
        int k = 0;
        while (now >= half && k < 10000) {
            const double at = side * ++k * step;
            const double offset[3] = {at * along[0], at * along[1], at * along[2]};
            before = now;
            now = spread_at(s, offset);
        }
        width += step * (k - 1 + (before - half) / (before - now));
    }
    return width;
}

/* The same along an axis. */
static inline double spread_width(const point_spread *s, int axis)
{
    const double along[3] = {axis == 0, axis == 1, axis == 2};
    return spread_width_along(s, along);
}

/* Where the echo's spectrum has its middle: a wave that many elements make in one (linear array) or
 * two (matrix) directions is weakened by 1/sqrt(f) in each, and so is what a line takes. */
static inline double spread_center_hz(const sac_acquisition *a, int directions)
{
    double sigma = a->bandwidth / (2 * sqrt(2 * log(2)));
    return a->fc_hz * (1 - 0.5 * directions * sigma * sigma);
}

#endif
