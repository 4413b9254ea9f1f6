/*
 * How channel data was acquired: defaults and checks.
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

static sac_status check_shapes(const sac_acquisition *a, sac_error *err)
{
    if (!(a->line_taper >= 0 && a->line_taper <= 1))
        return sac_fail(err, SAC_E_INVALID, "line_taper: expected 0 to 1 of a line, got %g",
                        a->line_taper);
    for (int32_t i = 0; a->shapes && i < a->n_elements; i++) {
        const sac_element *e = &a->elements[i];
        if (a->shapes[i] < SAC_SHAPE_AREA || a->shapes[i] > SAC_SHAPE_COLUMN)
            return sac_fail(err, SAC_E_INVALID, "shapes: %d of element %d is invalid", a->shapes[i],
                            i);
        if (a->shapes[i] != SAC_SHAPE_AREA && !(sac_acquisition_line_m(a, i) > 0))
            return sac_fail(err, SAC_E_INVALID,
                            "shapes: element %d is a line without a length: its %s is 0", i,
                            a->shapes[i] == SAC_SHAPE_ROW ? "width" : "height");
        if (a->shapes[i] != SAC_SHAPE_AREA && e->normal[2] != 1)
            return sac_fail(err, SAC_E_INVALID,
                            "shapes: element %d is a line, and must face (0, 0, 1)", i);
    }
    return SAC_OK;
}

static sac_status check_receives(const sac_acquisition *a, int32_t i, sac_error *err)
{
    bool any = false;
    for (int32_t e = 0; e < a->n_elements; e++) {
        const uint8_t receives = a->receives[(ptrdiff_t)i * a->n_elements + e];
        if (receives > 1)
            return sac_fail(err, SAC_E_INVALID,
                            "receives: of transmit %d and element %d: expected 0 or 1, got %d", i,
                            e, receives);
        any = any || receives;
    }
    return any ? SAC_OK
               : sac_fail(err, SAC_E_INVALID, "receives: no element receives transmit %d", i);
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
        if (status == SAC_OK && a->receives)
            status = check_receives(a, i, err);
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
    if (status == SAC_OK)
        status = check_shapes(a, err);
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
