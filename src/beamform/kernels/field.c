/*
 * The axes of waves, and what points take of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/acquisition.h"
#include "beamform/kernels/field.h"

#define SAME_M 1e-9 /* waves whose axes lie closer are repetitions of one */

/* Of scan lines from part of the array: the firing element that is nearest to the focus, from which
 * the line leads straight ahead at the array's ends, too. False where all elements fire. */
static bool foot_of(double foot[3], const sac_acquisition *a, int32_t t)
{
    const double *nearest = NULL, *s = a->transmits[t].source_m;
    bool all = true;
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double *p = a->elements[e].position_m;
        if (sac_acquisition_amplitude(a, t, e) == 0)
            all = false;
        else if (!nearest || sac_distance(p, s) < sac_distance(nearest, s))
            nearest = p;
    }
    for (int k = 0; k < 3 && nearest; k++)
        foot[k] = nearest[k];
    return !all && nearest;
}

/* The middle of the elements that fire, each by its weight. */
static void middle_of(double middle[3], const sac_acquisition *a, int32_t t)
{
    double sum = 0;
    middle[0] = middle[1] = middle[2] = 0;
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double weight = fabs(sac_acquisition_amplitude(a, t, e));
        sum += weight;
        for (int k = 0; k < 3; k++)
            middle[k] += weight * a->elements[e].position_m[k];
    }
    for (int k = 0; k < 3; k++)
        middle[k] /= sum;
}

/* The axis as a unit vector from `from` to `to`; straight ahead where they are one. */
static void point_to(double axis[3], const double from[3], const double to[3], double sign)
{
    const double d = sac_distance(from, to);
    for (int k = 0; k < 3; k++)
        axis[k] = d > 0 ? sign * (to[k] - from[k]) / d : k == 2;
}

static sac_field_wave wave_of(const sac_acquisition *a, int32_t t, double f_number, bool lines)
{
    const sac_transmit *transmit = &a->transmits[t];
    const double waist = f_number * a->c_m_s / a->fc_hz;
    sac_field_wave w = {.slope2 = f_number > 0 ? 0.25 / (f_number * f_number) : 0,
                        .waist2_m2 = waist * waist,
                        .weight = (float)transmit->weight};
    double middle[3];
    if (!(lines && transmit->kind == SAC_TRANSMIT_FOCUSED && foot_of(middle, a, t)))
        middle_of(middle, a, t);
    const double *from = transmit->source_m;
    switch (transmit->kind) {
    case SAC_TRANSMIT_FOCUSED:
        w.shape = SAC_FIELD_BOTH_SIDES;
        w.source_m = sac_distance(from, (const double[3]){0, 0, 0});
        point_to(w.axis, middle, from, 1);
        break;
    case SAC_TRANSMIT_DIVERGING:
        w.shape = SAC_FIELD_AHEAD;
        point_to(w.axis, middle, from, -1);
        break;
    case SAC_TRANSMIT_ELEMENT:
        w.shape = SAC_FIELD_AHEAD;
        from = a->elements[transmit->element].position_m;
        for (int k = 0; k < 3; k++)
            w.axis[k] = a->elements[transmit->element].normal[k];
        break;
    default: /* a plane wave's field has no edge by an f-number; its axis is for lines */
        from = middle;
        w.axis[0] = sin(transmit->azimuth_rad) * cos(transmit->elevation_rad);
        w.axis[1] = sin(transmit->elevation_rad);
        w.axis[2] = cos(transmit->azimuth_rad) * cos(transmit->elevation_rad);
    }
    for (int k = 0; k < 3; k++)
        w.from_m[k] = from[k];
    return w;
}

/* The farthest that a focus is from the nearest other axis: so that fields leave no gaps. */
static double widest_gap(const sac_field_wave *waves, int32_t n)
{
    double widest = 0;
    for (int32_t i = 0; i < n; i++) {
        double nearest = INFINITY, along;
        const double *s = waves[i].from_m;
        for (int32_t j = 0; j < n && waves[i].shape == SAC_FIELD_BOTH_SIDES; j++) {
            const double apart = sqrt(sac_field_beside2(&along, &waves[j], s[0], s[1], s[2]));
            if (waves[j].shape == SAC_FIELD_BOTH_SIDES && apart > SAME_M)
                nearest = fmin(nearest, apart);
        }
        widest = isfinite(nearest) ? fmax(widest, nearest) : widest;
    }
    return widest;
}

sac_status sac_field_open(sac_field *field, sac_field_wave *waves,
                          const sac_acquisition *acquisition, const sac_apodization *window,
                          bool lines, sac_error *err)
{
    const sac_acquisition *a = acquisition;
    *field = (sac_field){.n_tx = a->n_transmits, .waves = waves, .window = *window, .lines = lines};
    for (int32_t t = 0; t < a->n_transmits; t++) {
        const sac_transmit_kind kind = a->transmits[t].kind;
        if (lines && (kind == SAC_TRANSMIT_DELAYS || kind == SAC_TRANSMIT_ARRIVALS))
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "tx-apodization: lines need the axis of each wave, and transmit %d is "
                            "given by %s",
                            t, kind == SAC_TRANSMIT_DELAYS ? "delays" : "arrivals");
        waves[t] = wave_of(a, t, window->f_number, lines);
    }
    const double gap = lines ? 0 : widest_gap(waves, a->n_transmits);
    for (int32_t t = 0; t < a->n_transmits; t++)
        if (waves[t].shape == SAC_FIELD_BOTH_SIDES && gap > 0)
            waves[t].waist2_m2 = gap * gap;
    return SAC_OK;
}

static void window_weights(float *weights, int32_t step, const sac_field *field, const double *x,
                           const double *y, const double *z, int32_t n)
{
    float sum[SAC_DAS_BLOCK] = {0};
    for (int32_t t = 0; t < field->n_tx; t++) {
        float *row = weights + (ptrdiff_t)t * step;
        const sac_field_wave wave = field->waves[t];
        for (int32_t i = 0; i < n; i++) {
            row[i] = sac_field_window(&wave, &field->window, x[i], y[i], z[i]);
            sum[i] += row[i];
        }
    }
    for (int32_t i = 0; i < n; i++)
        sum[i] = 1 / (sum[i] > 1 ? sum[i] : 1);
    for (int32_t t = 0; t < field->n_tx; t++)
        for (int32_t i = 0; i < n; i++)
            weights[(ptrdiff_t)t * step + i] *= field->waves[t].weight * sum[i];
}

static void line_weights(float *weights, int32_t step, const sac_field *field, const double *x,
                         const double *y, const double *z, int32_t n)
{
    double nearest[SAC_DAS_BLOCK], along;
    int32_t line[SAC_DAS_BLOCK];
    for (int32_t t = 0; t < field->n_tx; t++)
        for (int32_t i = 0; i < n; i++) {
            const double l2 = sac_field_beside2(&along, &field->waves[t], x[i], y[i], z[i]);
            if (t == 0 || l2 < nearest[i]) {
                nearest[i] = l2;
                line[i] = t;
            }
        }
    for (int32_t t = 0; t < field->n_tx; t++)
        for (int32_t i = 0; i < n; i++)
            weights[(ptrdiff_t)t * step + i] = line[i] == t ? field->waves[t].weight : 0;
}

void sac_field_weights(float *weights, int32_t step, int32_t *begin, int32_t *end,
                       const sac_field *field, const double *x, const double *y, const double *z,
                       int32_t n)
{
    (field->lines ? line_weights : window_weights)(weights, step, field, x, y, z, n);
    *begin = field->n_tx;
    *end = 0;
    for (int32_t t = 0; t < field->n_tx; t++) {
        bool any = false;
        for (int32_t i = 0; i < n; i++)
            any = any || weights[(ptrdiff_t)t * step + i] != 0;
        *begin = any && t < *begin ? t : *begin;
        *end = any ? t + 1 : *end;
    }
}

void sac_field_weights_at(double *weights, const sac_field *field, const double p[3])
{
    double sum = 0, nearest = INFINITY;
    int32_t line = 0;
    for (int32_t t = 0; t < field->n_tx; t++) {
        const sac_field_wave *wave = &field->waves[t];
        double along;
        const double l2 = sac_field_beside2(&along, wave, p[0], p[1], p[2]);
        line = l2 < nearest ? t : line;
        nearest = fmin(l2, nearest);
        weights[t] = sac_field_window(wave, &field->window, p[0], p[1], p[2]);
        sum += weights[t];
    }
    for (int32_t t = 0; t < field->n_tx; t++)
        weights[t] =
            (double)field->waves[t].weight * (field->lines ? t == line : weights[t] / fmax(1, sum));
}
