/*
 * Delay-and-sum's geometry: arrivals, apertures and weights, in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/das.h"

#include "base/alloc.h"
#include "beamform/kernels/das/das_inline.h"

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

double sac_das_wave_of(const sac_das *das, int32_t t, const double p[3], int64_t index)
{
    const sac_transmit *transmit = &das->transmits[t];
    const sac_das_meeting m = sac_das_meeting_of(das, t);
    const double q[3] = {sac_das_meet(&m, 0, p[0]), sac_das_meet(&m, 1, p[1]), p[2]};
    return das->firing
               ? sac_das_arrival_s(transmit, das->firing, das->n_firing, das->c_m_s, q, index)
               : sac_das_arrival_s(transmit, das->elements, das->n_rx, das->c_m_s, q, index);
}

double sac_das_arrival_of(const sac_das *das, int32_t t, const double p[3], int64_t index)
{
    return sac_das_hold(sac_das_wave_of(das, t, p, index), das->transmits[t].t0_s,
                        SAC_DAS_FAR / das->fs_hz);
}

/* An odd number of cache lines: records of one delay then do not fall into the same sets. */
static size_t round_to_odd_lines(size_t bytes)
{
    size_t line = SAC_ALIGNMENT;
    return ((bytes + line - 1) / line | 1) * line;
}

size_t sac_das_layout(sac_das *das, int32_t n_parts, size_t scalar_size)
{
    bool inner = das->n_frames > 1;
    size_t record, all, n_records;
    size_t n = (size_t)das->n_samples + SAC_DAS_GAP, line = SAC_ALIGNMENT / scalar_size;
    das->n_packed = !inner                                         ? 1
                    : n_parts == 2 && das->n_frames <= SAC_DAS_FEW ? SAC_DAS_FEW
                                                                   : (das->n_frames + 15) / 16 * 16;
    size_t plane = inner ? n * (size_t)das->n_packed : (n + line - 1) / line * line;
    record = round_to_odd_lines(plane * (size_t)n_parts * scalar_size) / scalar_size;
    das->sample = inner ? n_parts * das->n_packed : 1;
    das->imag = n_parts == 1 ? 0 : inner ? das->n_packed : (ptrdiff_t)plane;
    das->rx = (ptrdiff_t)record;
    das->tx = das->rx * das->n_rx;
    n_records = (size_t)das->n_tx * (size_t)das->n_rx;
    if (__builtin_mul_overflow(record, n_records, &all) || all > PTRDIFF_MAX / scalar_size - line)
        return 0;
    return all + line;
}

void sac_das_arrivals(double *offset, double *turns, const sac_das *das, int64_t first, int32_t n)
{
    double x[SAC_DAS_CHUNK], y[SAC_DAS_CHUNK], z[SAC_DAS_CHUNK], tau[SAC_DAS_CHUNK];
    for (int32_t done = 0; done < n; done += SAC_DAS_CHUNK) {
        int32_t some = n - done < SAC_DAS_CHUNK ? n - done : SAC_DAS_CHUNK;
        sac_das_points(x, y, z, das, first + done, some);
        for (int32_t t = 0; t < das->n_tx; t++) {
            double t0 = das->transmits[t].t0_s;
            sac_das_arrival_row(tau, das, t, x, y, z, first + done, some);
            for (int32_t i = 0; i < some; i++) {
                int64_t at = (int64_t)(done + i) * das->n_tx + t;
                offset[at] = (tau[i] - t0) * das->fs_hz;
                if (turns)
                    turns[at] = sac_das_fraction(das->phase_sign * das->fd_hz *
                                                 (das->phase_transmit ? tau[i] : tau[i] - t0));
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
    sac_das_aperture_inline(begin, end, das, p);
}

uint64_t sac_das_active(const sac_das *das, int64_t first, int64_t n)
{
    const bool all = das->apodization.f_number <= 0;
    uint64_t active = all ? (uint64_t)n * (uint64_t)das->n_rx : 0;
    for (int64_t i = 0; i < n && !all; i++) {
        double p[3], u2;
        int32_t begin, end;
        sac_das_point(p, das, first + i);
        sac_das_receive_at(&p[0], &p[1], &das->line);
        sac_das_aperture(&begin, &end, das, p);
        for (int32_t r = begin; r < end; r++)
            active += sac_das_in_aperture(&u2, &das->apodization, &das->elements[r], p);
    }
    return active * (uint64_t)das->n_tx * (uint64_t)das->n_frames;
}
