/*
 * Delay-and-sum's geometry: arrivals, apertures and weights, in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/das.h"

#define PI 3.14159265358979323846

static double norm(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static double first_arrival_s(const double *delays_s, const sac_element *elements,
                              int32_t n_elements, double c_m_s, const double p[3])
{
    double first = INFINITY;
    for (int32_t i = 0; i < n_elements; i++) {
        double at = delays_s[i] + sac_distance(p, elements[i].position_m) / c_m_s;
        first = at < first ? at : first; /* false for NaN: that one does not fire */
    }
    return first;
}

double sac_das_arrival_s(const sac_transmit *transmit, const sac_element *elements,
                         int32_t n_elements, double c_m_s, const double p[3], int64_t index)
{
    const double *s = transmit->source_m;
    switch (transmit->kind) {
    case SAC_TRANSMIT_PLANE: {
        double a = transmit->azimuth_rad, e = transmit->elevation_rad;
        return (p[0] * sin(a) * cos(e) + p[1] * sin(e) + p[2] * cos(a) * cos(e)) / c_m_s;
    }
    case SAC_TRANSMIT_DIVERGING:
        return (sac_distance(p, s) - norm(s)) / c_m_s;
    case SAC_TRANSMIT_FOCUSED: {
        double along = (p[0] - s[0]) * s[0] + (p[1] - s[1]) * s[1] + (p[2] - s[2]) * s[2];
        double beyond = sac_distance(p, s);
        return (norm(s) + (along >= 0 ? beyond : -beyond)) / c_m_s;
    }
    case SAC_TRANSMIT_ELEMENT:
        return sac_distance(p, elements[transmit->element].position_m) / c_m_s;
    case SAC_TRANSMIT_DELAYS:
        return first_arrival_s(transmit->delays_s, elements, n_elements, c_m_s, p);
    case SAC_TRANSMIT_ARRIVALS:
        return transmit->arrivals_s[index];
    }
    return NAN;
}

void sac_das_arrivals(double *offset, double *turns, const sac_das *das, int64_t first, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        double p[3];
        sac_das_point(p, das, first + i);
        for (int32_t t = 0; t < das->n_tx; t++) {
            const sac_transmit *transmit = &das->transmits[t];
            double tau =
                sac_das_arrival_s(transmit, das->elements, das->n_rx, das->c_m_s, p, first + i);
            int64_t at = (int64_t)i * das->n_tx + t;
            offset[at] = (tau - transmit->t0_s) * das->fs_hz;
            if (turns) {
                double whole = das->phase_sign * das->fd_hz *
                               (das->phase_transmit ? tau : tau - transmit->t0_s);
                turns[at] = whole - nearbyint(whole);
            }
        }
    }
}

double sac_das_weight(const sac_apodization *apodization, const sac_element *e, const double p[3])
{
    double u2;
    if (!sac_das_in_aperture(&u2, apodization, e, p))
        return 0;
    if (apodization->f_number <= 0)
        return 1;
    double u = sqrt(u2), flat = 1 - apodization->taper;
    switch (apodization->window) {
    case SAC_WINDOW_RECT:
        return 1;
    case SAC_WINDOW_HANN:
        return 0.5 + 0.5 * cos(PI * u);
    case SAC_WINDOW_TUKEY:
        return u <= flat ? 1 : 0.5 + 0.5 * cos(PI * (u - flat) / apodization->taper);
    }
    return 0;
}

void sac_das_aperture(int32_t *begin, int32_t *end, const sac_das *das, const double p[3])
{
    *begin = 0;
    *end = das->n_rx;
    double f = das->apodization.f_number, u2;
    if (f <= 0 || das->pitch_m <= 0)
        return;
    /* Near the closed form's ends the predicate itself decides. */
    double half = p[2] / (2 * f), last = (double)(das->n_rx - 1);
    double low = floor((p[0] - half - das->x0_m) / das->pitch_m);
    double high = ceil((p[0] + half - das->x0_m) / das->pitch_m);
    *begin = low > 0 ? (int32_t)fmin(low, last + 1) : 0;
    *end = high < last ? (int32_t)fmax(high + 1, 0) : das->n_rx;
    while (*begin < *end && !sac_das_in_aperture(&u2, &das->apodization, &das->elements[*begin], p))
        ++*begin;
    while (*end > *begin &&
           !sac_das_in_aperture(&u2, &das->apodization, &das->elements[*end - 1], p))
        --*end;
}

uint64_t sac_das_active(const sac_das *das, int64_t first, int64_t n)
{
    uint64_t active = 0;
    for (int64_t i = 0; i < n; i++) {
        double p[3], u2;
        int32_t begin, end;
        sac_das_point(p, das, first + i);
        sac_das_aperture(&begin, &end, das, p);
        for (int32_t r = begin; r < end; r++)
            active += sac_das_in_aperture(&u2, &das->apodization, &das->elements[r], p);
    }
    return active * (uint64_t)das->n_tx * (uint64_t)das->n_frames;
}
