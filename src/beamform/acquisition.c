/*
 * How channel data was acquired: defaults, checks, probes, and the grid that suits it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/struct.h"
#include "beamform/acquisition.h"
#include "beamform/kernels/das/das.h"

#define MAX_CHANNELS 65536
#define FARTHEST_M 1e8 /* of a source: beyond, |p - s| - |s| is lost in its rounding */

void sac_acquisition_init(sac_acquisition *acquisition)
{
    if (acquisition)
        *acquisition =
            (sac_acquisition){.struct_size = sizeof *acquisition, .c_m_s = 1540, .phase_sign = 1};
}

void sac_element_init(sac_element *element)
{
    if (element)
        *element = (sac_element){.normal = {0, 0, 1}};
}

void sac_transmit_init(sac_transmit *transmit, sac_transmit_kind kind)
{
    if (transmit)
        *transmit = (sac_transmit){.kind = kind, .weight = 1};
}

void sac_grid_init(sac_grid *grid)
{
    if (grid)
        *grid = (sac_grid){.n = {1, 1, 1}};
}

static bool all_finite(const double *values, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static sac_status check_positive(const char *name, double value, const char *unit, sac_error *err)
{
    if (isfinite(value) && value > 0)
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID, "%s: expected more than 0 %s, got %g", name, unit, value);
}

/* From a heavy gas to diamond. Anything else is in another unit: a wrong picture, and no error. */
static sac_status check_speed(double c_m_s, sac_error *err)
{
    if (c_m_s >= 100 && c_m_s <= 20000)
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID, "c: expected 100 to 20000 m/s, got %g", c_m_s);
}

/* What may be 0, for unknown or a default. */
static sac_status check_not_negative(const char *name, double value, const char *unit,
                                     sac_error *err)
{
    if (isfinite(value) && value >= 0)
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID, "%s: expected 0 %s or more, got %g", name, unit, value);
}

static sac_status check_elements(const sac_acquisition *a, sac_error *err)
{
    if (a->n_elements < 1 || a->n_elements > MAX_CHANNELS || !a->elements)
        return sac_fail(err, SAC_E_INVALID, "elements: expected 1 to %d of them, got %d",
                        MAX_CHANNELS, a->elements ? a->n_elements : 0);
    for (int32_t i = 0; i < a->n_elements; i++) {
        const sac_element *e = &a->elements[i];
        const double *n = e->normal;
        if (!all_finite(e->position_m, 3))
            return sac_fail(err, SAC_E_INVALID, "elements: position of element %d is not finite",
                            i);
        if (!(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-6))
            return sac_fail(err, SAC_E_INVALID,
                            "elements: normal of element %d is no unit vector: (%g, %g, %g)", i,
                            n[0], n[1], n[2]);
        if (!isfinite(e->width_m) || !isfinite(e->height_m) || e->width_m < 0 || e->height_m < 0)
            return sac_fail(err, SAC_E_INVALID,
                            "elements: width and height of element %d: expected 0 m or more, got "
                            "%g and %g",
                            i, e->width_m, e->height_m);
    }
    return SAC_OK;
}

static sac_status check_delays(const sac_acquisition *a, int32_t i, sac_error *err)
{
    const double *delays = a->transmits[i].delays_s;
    bool fires = false;
    for (int32_t e = 0; delays && e < a->n_elements; e++) {
        if (isinf(delays[e]))
            return sac_fail(err, SAC_E_INVALID, "transmits: a delay of transmit %d is infinite", i);
        fires = fires || (!isnan(delays[e]) && sac_acquisition_amplitude(a, i, e) != 0);
    }
    return fires ? SAC_OK
                 : sac_fail(err, SAC_E_INVALID, "transmits: transmit %d fires no element", i);
}

static sac_status check_amplitudes(const sac_acquisition *a, int32_t i, sac_error *err)
{
    const sac_transmit *t = &a->transmits[i];
    bool fires = false;
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double amplitude = sac_acquisition_amplitude(a, i, e);
        if (!isfinite(amplitude))
            return sac_fail(err, SAC_E_INVALID,
                            "tx_apodization: of transmit %d and element %d: expected a finite "
                            "number, got %g",
                            i, e, amplitude);
        fires = fires || (amplitude != 0 && (t->kind != SAC_TRANSMIT_ELEMENT || e == t->element));
    }
    return fires ? SAC_OK
                 : sac_fail(err, SAC_E_INVALID, "tx_apodization: transmit %d fires no element", i);
}

static sac_status check_transmit(const sac_acquisition *a, int32_t i, sac_error *err)
{
    const sac_transmit *t = &a->transmits[i];
    if (!isfinite(t->t0_s))
        return sac_fail(err, SAC_E_INVALID, "transmits: t0 of transmit %d is not finite", i);
    if (!isfinite((float)t->weight)) /* as it is worked with */
        return sac_fail(err, SAC_E_INVALID,
                        "transmits: weight of transmit %d: expected a finite number, got %g", i,
                        t->weight);
    switch (t->kind) {
    case SAC_TRANSMIT_PLANE:
        if (!(fabs(t->azimuth_rad) < 1.5707963) || !(fabs(t->elevation_rad) < 1.5707963))
            return sac_fail(err, SAC_E_INVALID,
                            "transmits: angles of transmit %d must lie within +-90 degrees", i);
        return SAC_OK;
    case SAC_TRANSMIT_DIVERGING:
    case SAC_TRANSMIT_FOCUSED:
        if (!all_finite(t->source_m, 3))
            return sac_fail(err, SAC_E_INVALID, "transmits: source of transmit %d is not finite",
                            i);
        if (!(hypot(hypot(t->source_m[0], t->source_m[1]), t->source_m[2]) <= FARTHEST_M))
            return sac_fail(
                err, SAC_E_INVALID,
                "transmits: source of transmit %d lies beyond %g m, and makes a plane wave", i,
                FARTHEST_M);
        return SAC_OK;
    case SAC_TRANSMIT_ELEMENT:
        if (t->element < 0 || t->element >= a->n_elements)
            return sac_fail(err, SAC_E_INVALID,
                            "transmits: transmit %d fires element %d of %d elements", i, t->element,
                            a->n_elements);
        return SAC_OK;
    case SAC_TRANSMIT_DELAYS:
        return check_delays(a, i, err);
    case SAC_TRANSMIT_ARRIVALS:
        return t->arrivals_s
                   ? SAC_OK
                   : sac_fail(err, SAC_E_INVALID, "transmits: arrivals of transmit %d are NULL", i);
    }
    return sac_fail(err, SAC_E_INVALID, "transmits: kind of transmit %d is invalid", i);
}

static sac_status check_transmits(const sac_acquisition *a, sac_error *err)
{
    sac_status status = SAC_OK;
    bool weighs = false;
    if (a->n_transmits < 1 || a->n_transmits > MAX_CHANNELS || !a->transmits)
        return sac_fail(err, SAC_E_INVALID, "transmits: expected 1 to %d of them, got %d",
                        MAX_CHANNELS, a->transmits ? a->n_transmits : 0);
    for (int32_t i = 0; i < a->n_transmits && status == SAC_OK; i++) {
        status = check_transmit(a, i, err);
        if (status == SAC_OK && a->tx_apodization)
            status = check_amplitudes(a, i, err);
        weighs = weighs || (float)a->transmits[i].weight != 0;
    }
    if (status == SAC_OK && !weighs)
        return sac_fail(err, SAC_E_INVALID,
                        "transmits: all weights are 0: fill transmits with sac_transmit_init");
    return status;
}

static sac_status check(const sac_acquisition *a, sac_error *err)
{
    sac_status status = check_positive("fs", a->fs_hz, "Hz", err);
    if (status == SAC_OK)
        status = check_positive("fc", a->fc_hz, "Hz", err);
    if (status == SAC_OK)
        status = check_speed(a->c_m_s, err);
    if (status == SAC_OK)
        status = check_elements(a, err);
    if (status)
        return status;
    status = check_not_negative("fd", a->fd_hz, "Hz", err);
    if (status == SAC_OK)
        status = check_not_negative("frame_rate", a->frame_rate_hz, "Hz", err);
    if (status)
        return status;
    if (!(a->bandwidth >= 0 && a->bandwidth <= 2))
        return sac_fail(err, SAC_E_INVALID, "bandwidth: expected 0 to 2 of fc, got %g",
                        a->bandwidth);
    if (a->phase_sign != 1 && a->phase_sign != -1)
        return sac_fail(err, SAC_E_INVALID, "phase_sign: expected 1 or -1, got %d", a->phase_sign);
    if (a->phase_origin != SAC_PHASE_RECORD && a->phase_origin != SAC_PHASE_TRANSMIT)
        return sac_fail(err, SAC_E_INVALID, "phase_origin: %d is invalid", (int)a->phase_origin);
    return check_transmits(a, err);
}

sac_status sac_acquisition_take(sac_acquisition *own, const sac_acquisition *callers,
                                sac_error *err)
{
    sac_acquisition_init(own);
    const sac_status status = sac_struct_take(own, callers, "acquisition", err);
    return status ? status : check(own, err);
}

sac_status sac_acquisition_check(const sac_acquisition *acquisition, sac_error *err)
{
    sac_acquisition own;
    return sac_acquisition_take(&own, acquisition, err);
}

void sac_probe_linear(sac_element *elements, int32_t n, double pitch_m, double width_m,
                      double height_m)
{
    for (int32_t i = 0; i < n && elements; i++)
        elements[i] = (sac_element){.position_m = {(i - 0.5 * (n - 1)) * pitch_m, 0, 0},
                                    .normal = {0, 0, 1},
                                    .width_m = width_m,
                                    .height_m = height_m};
}

void sac_probe_curved(sac_element *elements, int32_t n, double radius_m, double pitch_m,
                      double width_m, double height_m)
{
    for (int32_t i = 0; i < n && elements; i++) {
        const double angle = (i - 0.5 * (n - 1)) * pitch_m / radius_m, half = sin(0.5 * angle);
        elements[i] =
            (sac_element){.position_m = {radius_m * sin(angle), 0, -2 * radius_m * half * half},
                          .normal = {sin(angle), 0, cos(angle)},
                          .width_m = width_m,
                          .height_m = height_m};
    }
}

void sac_probe_matrix(sac_element *elements, int32_t n_x, int32_t n_y, double pitch_x_m,
                      double pitch_y_m)
{
    for (int32_t i = 0; i < n_x * n_y && elements; i++) {
        double x = (i % n_x - 0.5 * (n_x - 1)) * pitch_x_m;
        double y = (i / n_x - 0.5 * (n_y - 1)) * pitch_y_m;
        elements[i] = (sac_element){.position_m = {x, y, 0},
                                    .normal = {0, 0, 1},
                                    .width_m = pitch_x_m,
                                    .height_m = pitch_y_m};
    }
}

/* The element nearest to p. */
static const double *nearest_element(const double p[3], const sac_element *elements, int32_t n)
{
    const double *nearest = elements[0].position_m;
    for (int32_t e = 1; e < n; e++)
        if (sac_distance(elements[e].position_m, p) < sac_distance(nearest, p))
            nearest = elements[e].position_m;
    return nearest;
}

void sac_transmit_apertures(double *tx_apodization, const sac_transmit *transmits,
                            int32_t n_transmits, const sac_element *elements, int32_t n_elements,
                            double f_number)
{
    for (int32_t t = 0; tx_apodization && t < n_transmits; t++) {
        const double *s = transmits[t].source_m, *m = nearest_element(s, elements, n_elements);
        const bool all = f_number <= 0 || (transmits[t].kind != SAC_TRANSMIT_DIVERGING &&
                                           transmits[t].kind != SAC_TRANSMIT_FOCUSED);
        for (int32_t e = 0; e < n_elements; e++)
            *tx_apodization++ =
                all || 2 * f_number * sac_distance(elements[e].position_m, m) <= sac_distance(s, m);
    }
}

/* The depths between which a record's echoes lie straight ahead, at first and last sample. */
static void depths(double z[2], const sac_acquisition *a, int64_t n_samples)
{
    z[0] = INFINITY;
    z[1] = 0;
    for (int32_t i = 0; i < a->n_transmits; i++) {
        double t0 = a->transmits[i].t0_s;
        z[0] = fmin(z[0], 0.5 * a->c_m_s * t0);
        z[1] = fmax(z[1], 0.5 * a->c_m_s * (t0 + (double)(n_samples - 1) / a->fs_hz));
    }
}

/* How far a diverging wave's sector leads beyond the array at depth z: its widest. */
static double sector_half(const sac_acquisition *a, double half, double z)
{
    double widest = half;
    for (int32_t i = 0; i < a->n_transmits; i++) {
        const sac_transmit *t = &a->transmits[i];
        if (t->kind == SAC_TRANSMIT_DIVERGING && t->source_m[2] < 0)
            widest = fmax(widest, fabs(t->source_m[0]) +
                                      (half - fabs(t->source_m[0])) * (1 - z / t->source_m[2]));
    }
    return fmin(widest, fmax(half, z)); /* 45 degrees: no element looks further */
}

sac_status sac_grid_default(sac_grid *grid, const sac_acquisition *acquisition, int64_t n_samples,
                            sac_error *err)
{
    if (!grid)
        return sac_fail(err, SAC_E_INVALID, "grid: is NULL");
    sac_acquisition own;
    const sac_acquisition *a = &own;
    sac_status status = sac_acquisition_take(&own, acquisition, err);
    if (status)
        return status;
    if (n_samples < 1)
        return sac_fail(err, SAC_E_INVALID, "n_samples: expected 1 or more, got %lld",
                        (long long)n_samples);
    double lambda = a->c_m_s / a->fc_hz, low = INFINITY, high = -INFINITY, z[2];
    for (int32_t i = 0; i < a->n_elements; i++) {
        low = fmin(low, a->elements[i].position_m[0]);
        high = fmax(high, a->elements[i].position_m[0]);
    }
    depths(z, a, n_samples);
    z[0] = fmax(z[0], lambda);
    if (!(z[1] > z[0]))
        return sac_fail(err, SAC_E_INVALID,
                        "t0: the record ends at %g mm depth: nothing lies before the array",
                        1e3 * z[1]);
    double middle = 0.5 * (low + high), half = sector_half(a, 0.5 * (high - low), z[1]);
    *grid = (sac_grid){.first_m = {middle - half, 0, z[0]}, .last_m = {middle + half, 0, z[1]}};
    for (int i = 0; i < 3; i++)
        if (!((grid->last_m[i] - grid->first_m[i]) / lambda < 1e6))
            return sac_fail(err, SAC_E_INVALID,
                            "grid: the data covers %g wavelengths along %c; give a grid",
                            (grid->last_m[i] - grid->first_m[i]) / lambda, "xyz"[i]);
    for (int i = 0; i < 3; i++)
        grid->n[i] = 1 + (int64_t)ceil((grid->last_m[i] - grid->first_m[i]) / (lambda / 3) - 1e-9);
    return SAC_OK;
}
