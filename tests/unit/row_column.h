/*
 * Row-column arrays to test with, and their sum in double as docs/beamform.md writes it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_ROW_COLUMN_H
#define SAC_TESTS_ROW_COLUMN_H

#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/beamform.h>

#include "base/random.h"
#include "beamform/kernels/das/das.h"

#define PI 3.14159265358979323846
#define PITCH 0.25e-3
#define WIDTH 0.2e-3
#define STEER 0.2 /* radians, the last wave */
#define RC_ELEMENTS 24
#define RC_TRANSMITS 12

typedef struct rc_scene {
    sac_element elements[RC_ELEMENTS];
    int32_t shapes[RC_ELEMENTS];
    sac_transmit transmits[RC_TRANSMITS];
    double fires[RC_TRANSMITS * RC_ELEMENTS], delays[RC_TRANSMITS * RC_ELEMENTS];
    uint8_t receives[RC_TRANSMITS * RC_ELEMENTS];
    double points[3 * 64];
    sac_acquisition acquisition;
    sac_beamform_desc desc;
    int64_t n_samples;
} rc_scene;

static inline void assert_near(double came, double wanted, double tolerance)
{
    if (!(fabs(came - wanted) <= tolerance))
        fail_msg("expected %.12g within %.3g, got %.12g", wanted, tolerance, came);
}

/* n_by_rows plane waves from rows, n_by_columns from columns, within +-STEER. */
static inline void rc_open(rc_scene *s, int32_t n_rows, int32_t n_columns, int32_t n_by_rows,
                           int32_t n_by_columns)
{
    memset(s, 0, sizeof *s);
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    sac_probe_row_column(s->elements, s->shapes, n_rows, n_columns, PITCH, WIDTH);
    for (int32_t t = 0; t < n_by_rows + n_by_columns; t++) {
        const int32_t n = t < n_by_rows ? n_by_rows : n_by_columns,
                      i = t < n_by_rows ? t : t - n_by_rows;
        sac_transmit_init(&s->transmits[t], SAC_TRANSMIT_PLANE);
        s->transmits[t].azimuth_rad = n > 1 ? STEER * (2.0 * i / (n - 1) - 1) : 0;
        s->transmits[t].t0_s = 1e-6 + 1e-8 * t;
    }
    sac_transmits_row_column(s->transmits, s->fires, s->receives, n_by_rows, n_by_columns, n_rows,
                             n_columns);
    a->elements = s->elements;
    a->n_elements = n_rows + n_columns;
    a->transmits = s->transmits;
    a->n_transmits = n_by_rows + n_by_columns;
    a->shapes = s->shapes;
    a->tx_apodization = s->fires;
    a->receives = s->receives;
    a->fs_hz = 20e6;
    a->fc_hz = 5e6;
    a->bandwidth = 0.6;
    s->n_samples = 300;
}

/* A small volume that reaches beyond the lines. */
static inline sac_beamform_desc rc_desc(const rc_scene *s, sac_dtype dtype)
{
    sac_beamform_desc d;
    sac_beamform_desc_init(&d);
    d.acquisition = &s->acquisition;
    d.dtype = dtype;
    d.n_samples = s->n_samples;
    d.grid = (sac_grid){{-1.3e-3, -1.6e-3, 2e-3}, {1.5e-3, 1.2e-3, 9e-3}, {19, 5, 7}};
    d.output = SAC_OUTPUT_IQ;
    d.demodulate = SAC_DEMODULATE_NO;
    d.n_threads = 1;
    if (dtype == SAC_C64)
        d.demodulate = SAC_DEMODULATE_AUTO;
    return d;
}

/* Distance of p from element e: of a line, from its nearest point. across: without the depth. */
static inline double rc_distance(const rc_scene *s, int32_t e, const double p[3], double *across)
{
    const sac_element *of = &s->elements[e];
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = p[k] - of->position_m[k];
    const int32_t shape = s->acquisition.shapes ? s->shapes[e] : SAC_SHAPE_AREA;
    if (shape != SAC_SHAPE_AREA) {
        const int k = shape == SAC_SHAPE_ROW ? 0 : 1;
        const double half = 0.5 * (shape == SAC_SHAPE_ROW ? of->width_m : of->height_m);
        v[k] = fmax(fabs(v[k]) - half, 0);
    }
    *across = hypot(v[0], v[1]);
    return hypot(*across, v[2]);
}

/* Distance of p from a source, as a wave of that line's goes. */
static inline double rc_from_source(const rc_scene *s, int32_t e, const double p[3],
                                    const double source[3])
{
    rc_scene one;
    one.elements[0] = s->elements[e];
    one.shapes[0] = s->shapes[e];
    one.acquisition.shapes = s->acquisition.shapes ? one.shapes : NULL;
    const int32_t shape = one.acquisition.shapes ? one.shapes[0] : SAC_SHAPE_AREA;
    for (int k = 0; k < 3; k++) /* along the line its middle stays */
        if (!(shape == SAC_SHAPE_ROW && k == 0) && !(shape == SAC_SHAPE_COLUMN && k == 1))
            one.elements[0].position_m[k] = source[k];
    double across;
    return rc_distance(&one, 0, p, &across);
}

static inline double rc_tau_tx(const rc_scene *s, int32_t t, const double p[3])
{
    const sac_acquisition *a = &s->acquisition;
    const sac_transmit *w = &s->transmits[t];
    const double c = a->c_m_s, az = w->azimuth_rad, el = w->elevation_rad;
    double first = INFINITY, across;
    int32_t fires = 0;
    while (w->kind != SAC_TRANSMIT_PLANE && a->tx_apodization[t * a->n_elements + fires] == 0)
        fires++;
    switch (w->kind) {
    case SAC_TRANSMIT_PLANE:
        return (p[0] * sin(az) * cos(el) + p[1] * sin(el) + p[2] * cos(az) * cos(el)) / c;
    case SAC_TRANSMIT_DIVERGING:
        return (rc_from_source(s, fires, p, w->source_m) -
                sqrt(w->source_m[0] * w->source_m[0] + w->source_m[1] * w->source_m[1] +
                     w->source_m[2] * w->source_m[2])) /
               c;
    case SAC_TRANSMIT_ELEMENT:
        return rc_distance(s, w->element, p, &across) / c;
    default:
        for (int32_t e = 0; e < a->n_elements; e++)
            if (a->tx_apodization[t * a->n_elements + e] != 0)
                first = fmin(first, w->delays_s[e] + rc_distance(s, e, p, &across) / c);
        return first;
    }
}

static inline double rc_weight(const sac_beamform_desc *d, double across, double z)
{
    const double u = 2 * d->f_number * across / z;
    if (d->f_number <= 0)
        return 1;
    if (!(u <= 1))
        return 0;
    return strcmp(d->apodization, "hann") == 0 ? 0.5 + 0.5 * cos(PI * u) : 1;
}

/* Sample k of a record in the layout as acquired: re and im. */
static inline void rc_sample(double v[2], const void *data, sac_dtype dtype, int64_t at)
{
    v[0] = dtype == SAC_I16 ? ((const int16_t *)data)[at]
                            : (double)((const float *)data)[dtype == SAC_C64 ? 2 * at : at];
    v[1] = dtype == SAC_C64 ? (double)((const float *)data)[2 * at + 1] : 0;
}

/* What transmit t brings to p in a frame. */
static inline void rc_truth(double sum[2], const rc_scene *s, const void *data, int32_t frame,
                            int32_t t, const double p[3])
{
    const sac_acquisition *a = &s->acquisition;
    const sac_beamform_desc *d = &s->desc;
    const double tau_tx = rc_tau_tx(s, t, p);
    sum[0] = sum[1] = 0;
    for (int32_t e = 0; e < a->n_elements; e++) {
        double across, coefficient[4];
        int32_t at;
        if (a->receives && !s->receives[t * a->n_elements + e])
            continue;
        const double tau = tau_tx + rc_distance(s, e, p, &across) / a->c_m_s - s->transmits[t].t0_s;
        const double weight = rc_weight(d, across, p[2] - s->elements[e].position_m[2]);
        const int32_t n = sac_das_taps(coefficient, &at, tau * a->fs_hz, (int32_t)s->n_samples,
                                       (sac_interp)d->interp, (sac_outside)d->outside);
        const double turn = d->dtype == SAC_C64 ? 2 * PI * a->fc_hz * tau : 0;
        for (int32_t k = 0; k < n && weight > 0; k++) {
            const int64_t record = ((int64_t)frame * a->n_transmits + t) * a->n_elements + e;
            double v[2];
            rc_sample(v, data, d->dtype, record * s->n_samples + at + k);
            sum[0] += weight * coefficient[k] * (v[0] * cos(turn) - v[1] * sin(turn));
            sum[1] += weight * coefficient[k] * (v[0] * sin(turn) + v[1] * cos(turn));
        }
    }
}

static inline void *rc_noise(const rc_scene *s, uint64_t seed)
{
    const sac_acquisition *a = &s->acquisition;
    const int64_t n = s->desc.n_frames * a->n_transmits * a->n_elements * s->n_samples;
    const int64_t parts = s->desc.dtype == SAC_C64 ? 2 : 1;
    void *data = malloc((size_t)(n * parts) * sizeof(float));
    assert_non_null(data);
    for (int64_t i = 0; i < n * parts; i++) {
        const double v = sac_random_normal(seed, (uint64_t)i);
        if (s->desc.dtype == SAC_I16)
            ((int16_t *)data)[i] = (int16_t)(1000 * v);
        else
            ((float *)data)[i] = (float)v;
    }
    return data;
}

/* Runs the scene's desc on noise; the relative L2 error against the truth is within its tier's. */
static inline void rc_compare(const rc_scene *s, uint64_t seed)
{
    const sac_acquisition *a = &s->acquisition;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    const int64_t shape[] = {s->desc.n_frames, a->n_transmits, a->n_elements, s->n_samples};
    sac_array in;
    void *data = rc_noise(s, seed);
    assert_ok(sac_array_view(&in, data, s->desc.dtype, 4, shape, &err), &err);
    assert_ok(sac_beamform_open(&plan, &s->desc, &err), &err);
    sac_array out = sac_beamform_get_output_array(plan);
    const int32_t parts = out.dtype == SAC_C64 ? 2 : 1, n_images = s->desc.lri ? a->n_transmits : 1;
    float *image = out.data = malloc((size_t)sac_array_count(&out) * (size_t)parts * sizeof(float));
    assert_non_null(image);
    assert_ok(sac_beamform_run(plan, &out, &in, &err), &err);
    const sac_grid *g = &s->desc.grid;
    const int64_t n = s->desc.points_m ? s->desc.n_points : g->n[0] * g->n[1] * g->n[2];
    double off = 0, all = 0;
    for (int64_t i = 0; i < n * s->desc.n_frames; i++) {
        const int64_t point = i % n;
        const int32_t frame = (int32_t)(i / n);
        sac_das das = {.grid = *g, .points_m = s->desc.points_m};
        double p[3], sum[RC_TRANSMITS][2] = {{0}}, one[2];
        sac_das_point(p, &das, point);
        for (int32_t t = 0; t < a->n_transmits; t++) {
            rc_truth(one, s, data, frame, t, p);
            for (int k = 0; k < 2; k++)
                sum[s->desc.lri ? t : 0][k] +=
                    s->desc.lri ? one[k] : s->transmits[t].weight * one[k];
        }
        for (int32_t t = 0; t < n_images; t++)
            for (int k = 0; k < parts; k++) {
                const int64_t at = ((frame * (int64_t)n_images + t) * n + point) * parts + k;
                off += pow((double)image[at] - sum[t][k], 2);
                all += pow(sum[t][k], 2);
            }
    }
    const double bound = s->desc.tier == SAC_TIER_EXACT ? 1e-6 : 2e-5 + 3e-8 * (double)s->n_samples;
    if (!(sqrt(off / all) <= bound))
        fail_msg("seed %llu, %s: error %.3g, bound %.3g", (unsigned long long)seed,
                 sac_beamform_get_variant(plan), sqrt(off / all), bound);
    sac_beamform_close(&plan);
    free(image);
    free(data);
}

/* A desc's image of such data, *n floats, by a variant that names `word`, or by any. */
static inline float *rc_run(int64_t *n, const rc_scene *s, const sac_beamform_desc *d,
                            const void *data, const char *word)
{
    const sac_acquisition *a = &s->acquisition;
    const int64_t shape[] = {d->n_frames, a->n_transmits, a->n_elements, s->n_samples};
    sac_error err = {0};
    sac_beamform *plan = NULL;
    sac_array in;
    assert_ok(sac_array_view(&in, (void *)(uintptr_t)data, d->dtype, 4, shape, &err), &err);
    assert_ok(sac_beamform_open(&plan, d, &err), &err);
    assert_true(!word || strstr(sac_beamform_get_variant(plan), word));
    sac_array out = sac_beamform_get_output_array(plan);
    *n = sac_array_count(&out) * (out.dtype == SAC_C64 ? 2 : 1);
    out.data = malloc((size_t)*n * sizeof(float));
    assert_non_null(out.data);
    assert_ok(sac_beamform_run(plan, &out, &in, &err), &err);
    sac_beamform_close(&plan);
    return out.data;
}

static inline sac_status rc_try_open(const void *ctx, sac_error *err)
{
    sac_beamform *plan = NULL;
    const sac_status status = sac_beamform_open(&plan, ctx, err);
    if (status != SAC_OK)
        assert_null(plan);
    sac_beamform_close(&plan);
    return status;
}

#endif
