/*
 * What MUST and PyMUST (Garcia, "MUST: an ultrasound toolbox for Matlab users") mean by their
 * parameters: transmit delays, convex arrays, the clock of IQ data.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/parts.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Delays are a plane wave's if they lie this close to a line, in periods of fc: much less than any
 * array can steer, more than single precision loses. */
#define LINE_TOLERANCE 1e-3

/* delays = at_origin_s + slope x of n > 1 elements at z = 0, all of them firing. */
static bool is_line(double *at_origin_s, double *slope_s_m, const double *delays_s,
                    const sac_element *elements, int32_t n, double tolerance_s)
{
    double sum = 0, sum_x = 0, xx = 0, xd = 0;
    for (int32_t e = 0; e < n; e++) {
        double x = elements[e].position_m[0];
        double d = delays_s[e] - delays_s[0]; /* so that equal delays give a slope of exactly 0 */
        sum += d;
        sum_x += x;
        xx += x * x;
        xd += x * d;
    }
    double slope = (xd - sum * sum_x / n) / (xx - sum_x * sum_x / n);
    double origin = delays_s[0] + (sum - slope * sum_x) / n;
    for (int32_t e = 0; e < n; e++)
        if (!(fabs(delays_s[e] - origin - slope * elements[e].position_m[0]) <= tolerance_s))
            return false; /* also where one is NaN */
    *at_origin_s = origin;
    *slope_s_m = slope;
    return true;
}

static void make_transmit(sac_transmit *t, const double *delays_s, const sac_draft *draft)
{
    const sac_acquisition *a = &draft->recording->acquisition;
    int32_t n_firing = 0, last = 0;
    for (int32_t e = 0; e < a->n_elements; e++) {
        if (!isnan(delays_s[e])) {
            n_firing++;
            last = e;
        }
    }
    double origin, slope;
    t->t0_s = draft->t0_s;
    if (n_firing == 1) {
        t->kind = SAC_TRANSMIT_ELEMENT;
        t->element = last;
        t->t0_s -= delays_s[last];
    } else if (isinf(draft->radius_m) &&
               is_line(&origin, &slope, delays_s, a->elements, a->n_elements,
                       LINE_TOLERANCE / a->fc_hz) &&
               fabs(slope * a->c_m_s) < 1) {
        t->kind = SAC_TRANSMIT_PLANE;
        t->azimuth_rad = asin(slope * a->c_m_s);
        t->t0_s -= origin;
    } else {
        t->kind = SAC_TRANSMIT_DELAYS;
        t->delays_s = delays_s;
    }
}

sac_status sac_must_transmits(sac_draft *draft, sac_error *err)
{
    sac_recording *r = draft->recording;
    sac_status st = sac_draft_transmits(draft, (uint64_t)draft->must_transmits, err);
    for (int32_t i = 0; st == SAC_OK && i < r->acquisition.n_transmits; i++)
        make_transmit(&r->transmits[i], r->delays_s + (ptrdiff_t)i * r->acquisition.n_elements,
                      draft);
    return st;
}

void sac_must_convex(sac_element *elements, int32_t n, const sac_draft *draft)
{
    /* The pitch is a chord between neighbors. */
    double step = 2 * asin(draft->pitch_m / (2 * draft->radius_m));
    double chord_z = draft->radius_m * cos(0.5 * (n - 1) * step);
    for (int32_t i = 0; i < n; i++) {
        double angle = (i - 0.5 * (n - 1)) * step;
        sac_element_init(&elements[i]);
        elements[i].position_m[0] = draft->radius_m * sin(angle);
        elements[i].position_m[2] = draft->radius_m * cos(angle) - chord_z;
        elements[i].normal[0] = sin(angle);
        elements[i].normal[2] = cos(angle);
        elements[i].width_m = draft->width_m;
        elements[i].height_m = draft->height_m;
    }
}

void sac_must_rotate(sac_draft *draft)
{
    sac_recording *r = draft->recording;
    const sac_acquisition *a = &r->acquisition;
    double fd_hz = a->fd_hz > 0 ? a->fd_hz : a->fc_hz;
    int64_t n_record = r->samples.shape[2] * r->samples.shape[3];
    int64_t n_records = r->samples.shape[0] * r->samples.shape[1];
    float *iq = r->samples.data;
    for (int64_t i = 0; i < n_records; i++, iq += 2 * n_record) {
        /* The file's clock shows `shift` when the transmit's shows 0. */
        double shift_s = draft->t0_s - r->transmits[i % a->n_transmits].t0_s;
        double turn = 2 * PI * fd_hz * shift_s;
        double re = cos(turn), im = sin(turn);
        for (int64_t k = 0; shift_s != 0 && k < n_record; k++) {
            double x = iq[2 * k], y = iq[2 * k + 1];
            iq[2 * k] = (float)(x * re - y * im);
            iq[2 * k + 1] = (float)(x * im + y * re);
        }
    }
}
