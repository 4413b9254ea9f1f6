/*
 * Layers, arrays, transmits and points by chance, and what they make of noise: a sum in double
 * precision at the delays and weights that the plan tells of, which are Fermat's.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_LAYERED_RANDOM_H
#define SAC_TESTS_LAYERED_RANDOM_H

#include "unit.h"

#include <stdio.h>

#include <saccade/simulate.h>

#include "base/random.h"
#include "beamform/kernels/das/das.h"
#include "ultrasound.h"

#define LR_POINTS 400

typedef struct layered_random {
    scene s;
    sac_beamform_desc desc;
    double delays[MAX_TRANSMITS * MAX_ELEMENTS];
    double arrivals[MAX_TRANSMITS * LR_POINTS];
    double points[3 * LR_POINTS];
    char layers[128], lens[64];
} layered_random;

static inline int32_t lr_one_of(uint64_t seed, uint64_t index, int32_t n)
{
    return (int32_t)(sac_random(seed, index) % (uint64_t)n);
}

static inline double lr_between(uint64_t seed, uint64_t index, double low, double high)
{
    return low + (high - low) * sac_random_uniform(seed, index);
}

static inline void lr_transmit(layered_random *r, uint64_t seed, int32_t t)
{
    static const sac_transmit_kind kinds[] = {SAC_TRANSMIT_PLANE,     SAC_TRANSMIT_PLANE,
                                              SAC_TRANSMIT_DIVERGING, SAC_TRANSMIT_ELEMENT,
                                              SAC_TRANSMIT_DELAYS,    SAC_TRANSMIT_ARRIVALS};
    const int32_t n = r->s.acquisition.n_elements;
    const uint64_t at = 1000 * (uint64_t)(t + 1);
    sac_transmit *w = &r->s.transmits[t];
    sac_transmit_init(w, kinds[lr_one_of(seed, at, 6)]);
    w->t0_s = lr_between(seed, at + 1, 0, 3e-6);
    w->weight = lr_one_of(seed, at + 2, 3) ? 1 : lr_between(seed, at + 3, -1, 1);
    w->azimuth_rad = lr_between(seed, at + 4, -0.25, 0.25);
    w->elevation_rad = lr_one_of(seed, at + 5, 2) ? 0 : lr_between(seed, at + 6, -0.2, 0.2);
    w->source_m[0] = lr_between(seed, at + 7, -3e-3, 3e-3);
    w->source_m[2] = lr_between(seed, at + 8, -20e-3, -2e-3);
    w->element = lr_one_of(seed, at + 9, n);
    w->delays_s = r->delays + t * n;
    w->arrivals_s = r->arrivals + t * LR_POINTS;
    for (int32_t e = 0; e < n; e++)
        r->delays[t * n + e] = lr_between(seed, at + 10 + (uint64_t)e, 0, 5e-7);
    for (int32_t i = 0; i < LR_POINTS; i++)
        r->arrivals[t * LR_POINTS + i] = lr_between(seed, at + 500 + (uint64_t)i, 4e-6, 12e-6);
}

static inline void lr_layers(layered_random *r, uint64_t seed)
{
    const int32_t which = 1 + lr_one_of(seed, 20, 3), n = 1 + lr_one_of(seed, 21, 3);
    int at = 0;
    for (int32_t i = 0; i < n; i++)
        at += snprintf(r->layers + at, sizeof r->layers - (size_t)at, "%.4f:%.2f,",
                       lr_between(seed, 22 + (uint64_t)i, 0.5, 7),
                       lr_between(seed, 26 + (uint64_t)i, 1400, 1650));
    snprintf(r->layers + at, sizeof r->layers - (size_t)at, "%.2f",
             lr_between(seed, 30, 1400, 1650));
    snprintf(r->lens, sizeof r->lens, "%.4f:%.2f", lr_between(seed, 31, 0.2, 1.5),
             lr_between(seed, 32, 950, 1400));
    r->desc.layers = which & 1 ? r->layers : NULL;
    r->desc.lens = which & 2 ? r->lens : NULL;
}

/* A grid of at most LR_POINTS, or a sector, or any points. */
static inline void lr_points(layered_random *r, uint64_t seed, bool grid_alone)
{
    sac_beamform_desc *d = &r->desc;
    const bool volume = lr_one_of(seed, 40, 3) == 0;
    const int32_t kind = grid_alone ? 0 : lr_one_of(seed, 41, 3);
    const double x = lr_between(seed, 42, -4e-3, 4e-3), from = lr_between(seed, 43, 1e-3, 12e-3);
    d->grid = (sac_grid){{x - 3e-3, 0, from}, {x + 3e-3, 0, from + 8e-3}, {17, 1, 23}};
    if (kind == 1) {
        d->grid_kind = SAC_GRID_SECTOR;
        d->grid.first_m[0] = lr_between(seed, 44, -0.9, 0);
        d->grid.last_m[0] = lr_between(seed, 45, 0.1, 0.9);
        d->sector.apex_m[0] = x;
        if (d->f_number > 0 && lr_one_of(seed, 47, 2)) { /* points beside the array, too */
            d->sector.radius_m = lr_between(seed, 48, 0, 20e-3);
            d->sector.apex_m[2] = -d->sector.radius_m;
        }
    }
    if (volume) {
        d->grid.n[0] = 9, d->grid.n[1] = 4, d->grid.n[2] = 11;
        d->grid.first_m[1] = kind == 1 ? -0.2 : -2e-3;
        d->grid.last_m[1] = kind == 1 ? 0.3 : 1e-3;
    }
    if (lr_one_of(seed, 49, 8) == 0)
        d->grid.n[0] = 1;
    if (lr_one_of(seed, 46, 4) == 0) {
        const double z = d->grid.first_m[2];
        d->grid.first_m[2] = d->grid.last_m[2];
        d->grid.last_m[2] = z;
    }
    if (kind == 2) {
        d->points_m = r->points;
        d->n_points = LR_POINTS - 7;
        for (int i = 0; i < 3 * LR_POINTS; i++)
            r->points[i] = i % 3 == 2   ? lr_between(seed, 5000 + (uint64_t)i, from, from + 9e-3)
                           : i % 3 == 0 ? lr_between(seed, 5000 + (uint64_t)i, -5e-3, 5e-3)
                           : volume     ? lr_between(seed, 5000 + (uint64_t)i, -2e-3, 2e-3)
                                        : 0;
    }
}

/* A scene; with grid_alone the points are a cartesian grid. */
static inline void layered_by_chance(layered_random *r, uint64_t seed, bool grid_alone)
{
    static const char *const windows[] = {"hann", "tukey:0.5", "rect"};
    static const int64_t frames[] = {1, 1, 2, 18};
    const bool matrix = lr_one_of(seed, 0, 3) == 0;
    memset(r, 0, sizeof *r);
    const int32_t n = matrix ? 48 : 20 + lr_one_of(seed, 1, 44);
    linear_scene(&r->s, n, 1 + lr_one_of(seed, 2, 4));
    if (matrix)
        sac_probe_matrix(r->s.elements, 8, 6, 0.4e-3, 0.35e-3);
    r->s.n_samples = 500;
    r->s.n_frames = frames[lr_one_of(seed, 3, 4)];
    r->s.acquisition.phase_origin = lr_one_of(seed, 4, 2) ? SAC_PHASE_TRANSMIT : SAC_PHASE_RECORD;
    for (int32_t t = 0; t < r->s.acquisition.n_transmits; t++)
        lr_transmit(r, seed, t);
    const double p[3] = {0, 0, 10e-3};
    sac_beamform_desc *d = &r->desc;
    *d = scene_desc(&r->s, lr_one_of(seed, 5, 2) ? SAC_C64 : SAC_F32, p, 1e-3, 3);
    d->demodulate = d->dtype == SAC_F32 ? SAC_DEMODULATE_NO : SAC_DEMODULATE_AUTO;
    d->interp = lr_one_of(seed, 6, 2) ? SAC_INTERP_LINEAR : SAC_INTERP_CUBIC;
    d->outside = lr_one_of(seed, 7, 2);
    d->f_number = lr_one_of(seed, 8, 4) ? lr_between(seed, 9, 0.7, 2.5) : 0;
    d->apodization = windows[d->f_number > 0 ? lr_one_of(seed, 10, 2) : 2];
    d->lri = lr_one_of(seed, 11, 4) == 0;
    d->tx_f_number = lr_one_of(seed, 12, 2) ? lr_between(seed, 13, 0.3, 2) : 0;
    d->tier = lr_one_of(seed, 14, 2) ? SAC_TIER_EXACT : SAC_TIER_FP32;
    d->n_threads = 1 + lr_one_of(seed, 15, 2);
    lr_layers(r, seed);
    lr_points(r, seed, grid_alone);
}

static inline float *lr_noise(const layered_random *r, uint64_t seed)
{
    const sac_acquisition *a = &r->s.acquisition;
    const int64_t n = r->s.n_frames * a->n_transmits * a->n_elements * r->s.n_samples * 2;
    float *data = malloc((size_t)n * sizeof *data);
    assert_non_null(data);
    for (int64_t i = 0; i < n; i++)
        data[i] = (float)sac_random_normal(seed, (uint64_t)i);
    return data;
}

/* What transmit t brings to a point in a frame, with that point's delays and weights. */
static inline void lr_truth(double sum[2], const layered_random *r, const float *data,
                            int32_t frame, int32_t t, const double *delays_s, const double *weights)
{
    const sac_acquisition *a = &r->s.acquisition;
    const bool iq = r->desc.dtype == SAC_C64;
    sum[0] = sum[1] = 0;
    for (int32_t e = 0; e < a->n_elements; e++) {
        double coefficient[4];
        int32_t at;
        const double delay_s = delays_s[t * a->n_elements + e];
        const int32_t n =
            sac_das_taps(coefficient, &at, delay_s * a->fs_hz, (int32_t)r->s.n_samples,
                         (sac_interp)r->desc.interp, (sac_outside)r->desc.outside);
        const double since =
            a->phase_origin == SAC_PHASE_TRANSMIT ? delay_s + a->transmits[t].t0_s : delay_s;
        const double turn = iq ? 2 * PI * a->phase_sign * a->fc_hz * since : 0;
        const int64_t record = ((int64_t)frame * a->n_transmits + t) * a->n_elements + e;
        for (int32_t k = 0; k < n && weights[e] > 0; k++) {
            const float *v = data + (record * r->s.n_samples + at + k) * (iq ? 2 : 1);
            const double re = (double)v[0], im = iq ? (double)v[1] : 0;
            sum[0] += weights[e] * coefficient[k] * (re * cos(turn) - im * sin(turn));
            sum[1] += weights[e] * coefficient[k] * (re * sin(turn) + im * cos(turn));
        }
    }
}

/* The relative L2 error of a run on noise, or -1 where the delays are refused as not known. */
static inline double layered_error(const layered_random *r, uint64_t seed)
{
    const sac_beamform_desc *d = &r->desc;
    const sac_acquisition *a = &r->s.acquisition;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    const sac_status status = sac_beamform_open(&plan, d, &err);
    if (status == SAC_E_UNSUPPORTED && strstr(err.text, "a sixteenth of a period"))
        return -1;
    assert_ok(status, &err);
    float *data = lr_noise(r, seed);
    const sac_array in = channel_array(&r->s, d->dtype, data);
    sac_array out = output_of(plan);
    assert_ok(sac_beamform_run(plan, &out, &in, &err), &err);
    const int32_t parts = d->dtype == SAC_C64 ? 2 : 1, n_tx = a->n_transmits;
    const int32_t n_images = d->lri ? n_tx : 1;
    const int64_t n_points = sac_array_count(&out) / d->n_frames / n_images;
    double off = 0, all = 0;
    for (int64_t i = 0; i < n_points; i++) {
        double p[3], delays[MAX_TRANSMITS * 64], weights[64], takes[MAX_TRANSMITS];
        const sac_das das = {.grid = d->grid, .points_m = d->points_m};
        sac_das_point(p, &das, i);
        if (d->grid_kind == SAC_GRID_SECTOR)
            sac_sector_point(p, &d->sector, p[0], p[1], p[2]);
        sac_beamform_get_delays(plan, p, i, delays, weights);
        sac_beamform_get_transmit_weights(plan, p, takes);
        for (int32_t f = 0; f < d->n_frames; f++) {
            double sum[MAX_TRANSMITS][2] = {{0}}, one[2];
            for (int32_t t = 0; t < n_tx; t++) {
                lr_truth(one, r, data, f, t, delays, weights);
                for (int k = 0; k < 2; k++)
                    sum[d->lri ? t : 0][k] += (d->lri ? 1 : takes[t]) * one[k];
            }
            for (int32_t t = 0; t < n_images; t++)
                for (int k = 0; k < parts; k++) {
                    const float *value = (const float *)out.data;
                    const int64_t at = ((f * (int64_t)n_images + t) * n_points + i) * parts + k;
                    off += pow((double)value[at] - sum[t][k], 2);
                    all += pow(sum[t][k], 2);
                }
        }
    }
    sac_beamform_close(&plan);
    free(out.data);
    free(data);
    return all > 0 ? sqrt(off / all) : 0;
}

#endif
