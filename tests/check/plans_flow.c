/*
 * Flow's plans in random configurations against the formulas of docs/flow.md, in double: every
 * filter, output and scale, ensembles that overlap or leave gaps, arrays of 1 to 3 axes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plans.h"
#include "plans_flow.h"
#include "room/check.h"

#define TOO_LOOSE 0.02 /* where rounding may change a result by more, it tells nothing */

static void draw_filter(plan_check *c, scene *s)
{
    const int32_t n = s->n;
    s->order = -1;
    s->high = 0;
    switch (plan_draw(c, n >= 4 ? 5 : 4)) {
    case 0:
        strcpy(s->filter, "none");
        break;
    case 1:
        s->order = (int32_t)plan_draw(c, n - 1 < 6 ? n - 1 : 6);
        snprintf(s->filter, sizeof s->filter, "polynomial:%d", s->order);
        break;
    case 2:
        s->low = (int32_t)plan_draw(c, n);
        s->high = n;
        snprintf(s->filter, sizeof s->filter, "svd:%d", s->low);
        break;
    case 3:
        s->low = (int32_t)plan_draw(c, n);
        s->high = s->low + 1 + (int32_t)plan_draw(c, n - s->low);
        snprintf(s->filter, sizeof s->filter, "svd:%d:%d", s->low, s->high);
        break;
    default:
        s->high = n;
        strcpy(s->filter, "svd:auto");
    }
    s->d.filter = s->filter;
}

static void draw_sizes(plan_check *c, scene *s)
{
    sac_flow_desc *d = &s->d;
    const bool is_long = plan_draw(c, 12) == 0; /* as many as no block of a GPU has at a time */
    s->n = is_long ? 100 + (int32_t)plan_draw(c, 40) : 2 + (int32_t)plan_draw(c, 30);
    const int64_t extra = is_long ? 0 : plan_draw(c, 12);
    d->n_frames = s->n + extra;
    d->ensemble = extra || plan_draw(c, 2) ? s->n : 0;
    d->step = plan_draw(c, 2) ? 0 : 1 + (int32_t)plan_draw(c, s->n + 3);
    s->n_ensembles = extra / (d->step ? d->step : s->n) + 1;
    d->n_axes = 1 + (int32_t)plan_draw(c, 3);
    s->points = 1;
    for (int32_t i = 0; i < d->n_axes; i++) {
        d->shape[i] = 1 + plan_draw(c, d->n_axes == 1 ? 700 : d->n_axes == 2 ? 30 : 9);
        s->points *= d->shape[i];
    }
    s->n_tx = 1;
    if (d->kind != SAC_FLOW_VECTOR)
        return;
    s->n_tx = 2 + (int32_t)plan_draw(c, MOST_TRANSMITS - 1);
    for (int32_t t = 0; t < s->n_tx; t++)
        s->azimuth[t] = -0.3 + 0.6 * t / (s->n_tx - 1) + 0.01 * (double)plan_draw(c, 10);
    d->n_transmits = s->n_tx;
    d->azimuth_rad = s->azimuth;
}

/* Three components of tissue, of decreasing size, in noise. */
static void fill(plan_check *c, scene *s)
{
    const int64_t n_rows = s->d.n_frames * s->n_tx, n = n_rows * s->points;
    uint64_t random = c->random | 1;
    s->iq = plan_memory((size_t)(2 * n), sizeof *s->iq);
    for (int64_t i = 0; i < 2 * n; i++)
        s->iq[i] = (float)(2 * sac_check_uniform(&random) - 1);
    double size = plan_draw(c, 3) ? 50 : 0;
    for (int k = 0; k < 3; k++, size /= 4)
        for (int64_t p = 0; p < s->points; p++) {
            const double a = size * sac_check_uniform(&random), turn = sac_check_uniform(&random);
            for (int64_t i = 0; i < n_rows; i++) {
                const double angle = 0.05 * (k + 1) * (double)(i / s->n_tx) + 6 * turn;
                float *x = s->iq + 2 * (i * s->points + p);
                x[0] += (float)(a * cos(angle));
                x[1] += (float)(a * sin(angle));
            }
        }
}

/* In place: the desc points into the scene. */
static void draw_scene(plan_check *c, scene *s)
{
    static const int32_t threads[] = {1, 2, 3, 0}, averages[] = {1, 1, 3, 5};
    sac_flow_desc *d = &s->d;
    memset(s, 0, sizeof *s);
    sac_flow_desc_init(d);
    d->kind = (int32_t)plan_draw(c, SAC_FLOW_VECTOR + 1);
    draw_sizes(c, s);
    draw_filter(c, s);
    d->lag = plan_draw(c, 2) ? 1 : 1 + (int32_t)plan_draw(c, s->n - 1);
    d->average[0] = PLAN_ONE_OF(c, averages);
    d->average[1] = PLAN_ONE_OF(c, averages);
    d->scale = (int32_t)plan_draw(c, 2);
    d->phase_sign = plan_draw(c, 2) ? 1 : -1;
    d->prf_hz = 4000;
    d->fc_hz = 5e6;
    d->n_threads = PLAN_ONE_OF(c, threads);
    d->variant = plan_variant(c);
    if (c->gpu)
        d->device = (sac_device){SAC_DEVICE_CUDA, 0};
    fill(c, s);
    plan_about(c,
               "kind %d, %s, %d of %" PRId64 " frames, step %d, lag %d, %" PRId64
               " points of %d axes, %d transmits, average %dx%d, scale %d, sign %d, threads %d, "
               "variant %s",
               d->kind, s->filter, s->n, d->n_frames, d->step, d->lag, s->points, d->n_axes,
               s->n_tx, d->average[0], d->average[1], d->scale, d->phase_sign, d->n_threads,
               d->variant ? d->variant : "-");
}

static void expect(plan_check *c, const char *what, int64_t p, double wanted, double got,
                   double within)
{
    if (!(fabs(wanted - got) <= within))
        plan_fault(c, "%s: point %" PRId64 ": wanted %.9g, got %.9g, within %.3g", what, p, wanted,
                   got, within);
}

static void compare_power(plan_check *c, const scene *s, const maps *m, const double *power,
                          const float *got)
{
    const double range = s->d.dynamic_range_db;
    for (int64_t p = 0; p < s->points; p++) {
        const double share = power[p] / m->most;
        if (s->d.scale == SAC_FLOW_LINEAR)
            expect(c, "power", p, share, (double)got[p] / m->most, m->within);
        else
            expect(c, "power in dB", p, fmax(share, pow(10, -range / 10)),
                   pow(10, (double)got[p] / 10), m->within);
    }
}

/* The angle that A has, and how far it may be off. */
static double angle_of(const maps *m, int64_t p, double *within)
{
    const double size = hypot(m->map[1][p], m->map[2][p]);
    *within = size > 0 ? 1e-6 + 2 * m->within * m->most / size : INFINITY;
    return atan2(m->map[2][p], m->map[1][p]);
}

static void compare_velocity(plan_check *c, const scene *s, const maps *m, const float *got,
                             double nyquist)
{
    for (int64_t p = 0; p < s->points; p++) {
        double within;
        const double wanted = angle_of(m, p, &within);
        const double angle = s->d.phase_sign * PI * (double)got[p] / nyquist;
        if (within < 0.3)
            expect(c, "velocity", p, 0, remainder(angle - wanted, 2 * PI), within);
    }
}

static void compare_variance(plan_check *c, const scene *s, const maps *m, const float *got,
                             double nyquist)
{
    for (int64_t p = 0; p < s->points; p++) {
        const double within = 4 * m->within * m->most / m->map[0][p];
        const double share = hypot(m->map[1][p], m->map[2][p]) / m->map[0][p];
        if (within < 0.3)
            expect(c, "variance", p, fmax(0, 1 - share),
                   (double)got[p] / (2 * pow(nyquist / PI, 2)), within + 1e-6);
    }
}

/* Least squares over the transmits, solved as two equations. */
static void compare_vector(plan_check *c, const scene *s, const maps *all, const float *got,
                           double nyquist)
{
    for (int64_t p = 0; p < s->points; p++) {
        double xx = 0, xz = 0, zz = 0, xv = 0, zv = 0, worst = 0;
        bool is_sure = true;
        for (int32_t t = 0; t < s->n_tx; t++) {
            double within;
            const double angle = angle_of(&all[t], p, &within);
            const double x = -sin(s->azimuth[t]) / 2, z = (1 + cos(s->azimuth[t])) / 2;
            const double v = s->d.phase_sign * nyquist * angle / PI;
            is_sure = is_sure && within < 0.3 && fabs(angle) + within < PI;
            worst = fmax(worst, within);
            xx += x * x, xz += x * z, zz += z * z, xv += x * v, zv += z * v;
        }
        const double product = xx * zz - xz * xz;
        const double within = worst * nyquist * s->n_tx / fmin(xx, product);
        if (!is_sure)
            continue;
        expect(c, "along x", p, (zz * xv - xz * zv) / product, (double)got[p], within);
        expect(c, "along z", p, (xx * zv - xz * xv) / product, (double)got[s->points + p], within);
    }
}

static void compare(plan_check *c, const scene *s, const sac_flow *plan, int64_t e,
                    const float *got)
{
    maps all[MOST_TRANSMITS] = {0};
    double worst = 0;
    const double nyquist = sac_flow_get_nyquist(plan);
    for (int32_t t = 0; t < s->n_tx; t++) {
        int32_t low, high;
        (void)sac_flow_get_singular_values(plan, e * s->n_tx + t, &low, &high);
        expect(c, "kept up to", t, s->high ? s->high : s->n, high, 0);
        if (s->high && strcmp(s->filter, "svd:auto") != 0)
            expect(c, "kept from", t, s->low, low, 0);
        all[t] = flow_truth(s, e, t, low);
        worst = fmax(worst, all[t].within);
    }
    const double *power = all[0].map[0], *other = all[0].map[1];
    const bool swaps = s->d.phase_sign < 0;
    c->n_compared += worst < TOO_LOOSE;
    if (!(worst < TOO_LOOSE))
        ; /* the choice of what is kept alone was compared */
    else if (s->d.kind == SAC_FLOW_VECTOR)
        compare_vector(c, s, all, got, nyquist);
    else if (s->d.kind == SAC_FLOW_VARIANCE)
        compare_variance(c, s, all, got, nyquist);
    else if (s->d.kind == SAC_FLOW_POWER || s->d.kind == SAC_FLOW_DIRECTIONAL)
        compare_power(c, s, all, swaps && s->d.kind == SAC_FLOW_DIRECTIONAL ? other : power, got);
    else
        compare_velocity(c, s, all, got, nyquist);
    if (worst < TOO_LOOSE && s->d.kind == SAC_FLOW_DIRECTIONAL)
        compare_power(c, s, all, swaps ? power : other, got + s->points);
    if (worst < TOO_LOOSE && s->d.kind == SAC_FLOW_COLOR_POWER)
        compare_power(c, s, all, power, got + s->points);
    for (int32_t t = 0; t < s->n_tx; t++)
        free(all[t].map[0]);
}

/* An array without gaps, that lies anywhere; `shaped` has its shape. */
static plan_lay open_lay(plan_check *c, sac_array *shaped)
{
    const int64_t n = sac_array_count(shaped);
    const plan_place place = (plan_place)plan_draw(c, c->gpu ? PLAN_PLACES : 1);
    const plan_lay lay = plan_lay_open(c, shaped->dtype, 1, &n, true, place);
    shaped->data = lay.array.data;
    shaped->device = lay.array.device;
    return lay;
}

void check_flow_plan(plan_check *c)
{
    scene s;
    draw_scene(c, &s);
    sac_flow *plan = NULL;
    sac_error err = {0};
    const sac_status status = sac_flow_open(&plan, &s.d, &err);
    if (plan_lacks(status, s.d.variant))
        c->n_skipped++;
    else if (status != SAC_OK)
        plan_fault(c, "open: %s", err.text);
    if (plan) {
        int64_t shape[SAC_MAX_DIMS] = {s.d.n_frames, s.n_tx};
        const int32_t first = s.d.kind == SAC_FLOW_VECTOR ? 2 : 1;
        sac_array in, out = sac_flow_get_output_array(plan);
        memcpy(shape + first, s.d.shape, (size_t)s.d.n_axes * sizeof *shape);
        plan_must(sac_array_view(&in, NULL, SAC_C64, first + s.d.n_axes, shape, &err), "view",
                  &err);
        plan_lay from = open_lay(c, &in), to = open_lay(c, &out);
        const int64_t n_values = sac_array_count(&out) / s.n_ensembles;
        float *got = plan_memory((size_t)sac_array_count(&out), sizeof *got);
        plan_lay_write(c, &from, s.iq);
        if (sac_flow_run(plan, &out, &in, &err) != SAC_OK)
            plan_fault(c, "run: %s", err.text);
        plan_lay_read(c, &to, got);
        for (int64_t e = 0; e < s.n_ensembles; e++)
            compare(c, &s, plan, e, got + e * n_values);
        plan_lay_compare(c, &to, got, "beside out");
        plan_lay_compare(c, &from, s.iq, "in, afterwards");
        plan_lay_close(c, &from);
        plan_lay_close(c, &to);
        free(got);
    }
    sac_flow_close(&plan);
    free(s.iq);
}
