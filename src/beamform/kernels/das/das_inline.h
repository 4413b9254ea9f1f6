/*
 * Delay-and-sum's geometry once more, in loops that a compiler vectorizes: arrivals at a row of
 * points, and what a point receives of its elements. In double precision; windows and rotations,
 * of reduced turns, in single.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_INLINE_H
#define SAC_BEAMFORM_DAS_INLINE_H

#include "beamform/kernels/das/das_first_waves.h"

/* x less its nearest integer, |x| < 2^51: adding 1.5 * 2^52 leaves no fraction bit. */
SAC_HOST_DEVICE static inline double sac_das_fraction(double x)
{
    const double shift = 6755399441055744.0;
    return x - ((x + shift) - shift);
}

/*
 * cos and sin of |turns| <= 1/2, to 1e-7: polynomials of a quarter turn on either side of the
 * nearest half (Chebyshev's points; 7e-9), whose sign is the half's parity.
 */
SAC_HOST_DEVICE static inline void sac_das_rotation(float *cosine, float *sine, float turns)
{
    float sign = turns > 0.25f || turns < -0.25f ? -1.0f : 1.0f;
    float g = turns > 0.25f ? turns - 0.5f : turns < -0.25f ? turns + 0.5f : turns, h = g * g;
    *cosine = sign *
              (1 + h * (-19.739209f +
                        h * (64.939383f + h * (-85.455357f + h * (60.179038f + h * -25.218162f)))));
    *sine =
        sign * g *
        (6.2831853f + h * (-41.341681f + h * (81.602476f + h * (-76.581173f + h * 39.759827f))));
}

/* sac_das_receive_at of n points. */
SAC_HOST_DEVICE static inline void
sac_das_receive_points(double *__restrict x, double *__restrict y, const sac_das *das, int32_t n)
{
    for (int32_t i = 0; i < n && das->line.shape != SAC_SHAPE_AREA; i++)
        sac_das_receive_at(&x[i], &y[i], &das->line);
}

/* Coordinate `axis` of a grid's points with that index along the axis. */
SAC_HOST_DEVICE static inline double sac_das_coordinate(const sac_grid *grid, int axis, int64_t at)
{
    double a = grid->first_m[axis], b = grid->last_m[axis];
    int64_t n = grid->n[axis];
    return n > 1 ? a + (b - a) * ((double)at / (double)(n - 1)) : a;
}

/* Points [first, first + n) as coordinates: the very ones of sac_das_point, a row at a time. */
static inline void sac_das_points(double *__restrict x, double *__restrict y, double *__restrict z,
                                  const sac_das *das, int64_t first, int32_t n)
{
    const sac_grid *grid = &das->grid;
    for (int32_t i = 0; i < n && das->points_m; i++) {
        x[i] = das->points_m[3 * (first + i)];
        y[i] = das->points_m[3 * (first + i) + 1];
        z[i] = das->points_m[3 * (first + i) + 2];
    }
    for (int32_t i = 0; i < n && !das->points_m;) {
        const sac_das_spot place = sac_das_spot_of(das, first + i);
        int64_t at = place.index % grid->n[0], row = place.index / grid->n[0];
        int32_t some = place.left < n - i ? (int32_t)place.left : n - i;
        double b = sac_das_coordinate(grid, 1, row % grid->n[1]);
        double c = sac_das_coordinate(grid, 2, row / grid->n[1]);
        for (int32_t k = 0; k < some; k++) {
            x[i + k] = sac_das_coordinate(grid, 0, at + k);
            y[i + k] = b;
            z[i + k] = c;
        }
        i += some;
    }
}

/* Of the run's transmit t. */
static inline sac_das_meeting sac_das_meeting_of(const sac_das *das, int32_t t)
{
    sac_das_meeting m = {{0}, {0}, {0}};
    const sac_transmit *transmit = &das->transmits[t];
    const sac_das_line *line = das->tx_lines ? &das->tx_lines[t] : NULL;
    if (!line || line->shape == SAC_SHAPE_AREA || transmit->kind == SAC_TRANSMIT_PLANE)
        return m;
    const int axis = line->shape == SAC_SHAPE_ROW ? 0 : 1;
    const bool source =
        transmit->kind == SAC_TRANSMIT_DIVERGING || transmit->kind == SAC_TRANSMIT_FOCUSED;
    m.at[axis] = source ? transmit->source_m[axis] : line->middle_m;
    m.middle[axis] = line->middle_m;
    m.half[axis] = line->half_m;
    return m;
}

/* tau_tx of one transmit at points [first, first + n), n <= SAC_DAS_CHUNK, whose coordinates are
 * x, y, z, not held. The trigonometry is a call's, not a point's. */
static inline void sac_das_wave_row(double *__restrict tau, const sac_das *das, int32_t t,
                                    const double *__restrict x, const double *__restrict y,
                                    const double *__restrict z, int64_t first, int32_t n)
{
    const sac_transmit *transmit = &das->transmits[t];
    const double *s = transmit->source_m;
    const sac_element *fires = das->firing ? das->firing : das->elements;
    const double *e =
        fires[transmit->kind == SAC_TRANSMIT_ELEMENT ? transmit->element : 0].position_m;
    const sac_das_meeting m = sac_das_meeting_of(das, t);
    double c = das->c_m_s;
    switch (transmit->kind) {
    case SAC_TRANSMIT_PLANE: {
        double a = transmit->azimuth_rad, b = transmit->elevation_rad;
        double dx = sin(a) * cos(b) / c, dy = sin(b) / c, dz = cos(a) * cos(b) / c;
        for (int32_t i = 0; i < n; i++)
            tau[i] = x[i] * dx + y[i] * dy + z[i] * dz;
        return;
    }
    case SAC_TRANSMIT_ELEMENT:
        for (int32_t i = 0; i < n; i++) {
            double u = sac_das_meet(&m, 0, x[i]) - e[0], v = sac_das_meet(&m, 1, y[i]) - e[1];
            double w = z[i] - e[2];
            tau[i] = sqrt(u * u + v * v + w * w) / c;
        }
        return;
    case SAC_TRANSMIT_DIVERGING:
    case SAC_TRANSMIT_FOCUSED: {
        double norm = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        bool diverging = transmit->kind == SAC_TRANSMIT_DIVERGING;
        for (int32_t i = 0; i < n; i++) {
            double u = sac_das_meet(&m, 0, x[i]) - s[0], v = sac_das_meet(&m, 1, y[i]) - s[1];
            double w = z[i] - s[2];
            double along = u * s[0] + v * s[1] + w * s[2], l = sqrt(u * u + v * v + w * w);
            tau[i] = (diverging ? l - norm : along >= 0 ? norm + l : norm - l) / c;
        }
        return;
    }
    case SAC_TRANSMIT_DELAYS:
        for (int32_t i = 0; i < n; i += SAC_DAS_NEAR) {
            const int32_t some = n - i < SAC_DAS_NEAR ? n - i : SAC_DAS_NEAR;
            double u[SAC_DAS_NEAR], v[SAC_DAS_NEAR];
            for (int32_t k = 0; k < some; k++) {
                u[k] = sac_das_meet(&m, 0, x[i + k]);
                v[k] = sac_das_meet(&m, 1, y[i + k]);
            }
            sac_das_first_waves(tau + i, das, t, u, v, z + i, some);
        }
        for (int32_t i = 0; i < n; i++)
            tau[i] /= c;
        return;
    case SAC_TRANSMIT_ARRIVALS:
        for (int32_t i = 0; i < n; i++)
            tau[i] = transmit->arrivals_s[first + i];
    }
}

/* The same as sac_das_arrival_of has it. */
static inline void sac_das_arrival_row(double *__restrict tau, const sac_das *das, int32_t t,
                                       const double *__restrict x, const double *__restrict y,
                                       const double *__restrict z, int64_t first, int32_t n)
{
    const double t0_s = das->transmits[t].t0_s, far_s = SAC_DAS_FAR / das->fs_hz;
    sac_das_wave_row(tau, das, t, x, y, z, first, n);
    for (int32_t i = 0; i < n; i++)
        tau[i] = sac_das_hold(tau[i], t0_s, far_s);
}

/* The integer nearest to x, -1 below 0 and n from n on; -1 for what is no number. */
SAC_HOST_DEVICE static inline int32_t sac_das_nearest(double x, int32_t n)
{
    return x > -0.5 ? x < n ? (int32_t)(x + 0.5) : n : -1;
}

/* As sac_das_aperture. The ends are estimated, to half an element; then the predicate decides. */
SAC_HOST_DEVICE static inline void sac_das_aperture_inline(int32_t *begin, int32_t *end,
                                                           const sac_das *das, const double p[3])
{
    double f = das->apodization.f_number, u2;
    int32_t n = das->n_rx;
    *begin = 0;
    *end = n;
    if (f <= 0 || das->pitch_m <= 0)
        return;
    double reach = p[2] / (2 * f), across2 = reach * reach - p[1] * p[1];
    double across = sqrt(across2 > 0 ? across2 : 0), x = p[0] - das->x0_m, pitch = 1 / das->pitch_m;
    int32_t low = sac_das_nearest((x - across) * pitch, n);
    int32_t high = sac_das_nearest((x + across) * pitch, n);
    const sac_element *first = &das->elements[low < 0 ? 0 : low < n ? low : n - 1];
    const sac_element *last = &das->elements[high < 0 ? 0 : high < n ? high : n - 1];
    *begin =
        low < 0 ? 0 : low + (low < n && !sac_das_in_aperture(&u2, &das->apodization, first, p));
    *end = high < 0 ? 0 : high + (high < n && sac_das_in_aperture(&u2, &das->apodization, last, p));
    if (!(p[2] > 0) || *end < *begin)
        *end = *begin;
}

/* What a point receives of its active elements, without the transmit's part. */
typedef struct sac_das_receive {
    int32_t n;                      /* elements */
    int32_t element[SAC_DAS_CHUNK]; /* which */
    double delay[SAC_DAS_CHUNK];    /* tau_rx fs, samples */
    float re[SAC_DAS_CHUNK];        /* the weight, and for IQ the rotation by tau_rx with it */
    float im[SAC_DAS_CHUNK];
} sac_das_receive;

static inline bool sac_das_has_window(const sac_apodization *a)
{
    return a->f_number > 0 && a->window != SAC_WINDOW_RECT;
}

/* The window at u, given as the turns that its cosine edge takes: 0 on the flat part. Without a
 * branch: loops over it become vectors. */
SAC_HOST_DEVICE static inline float sac_das_window(const sac_apodization *a, double u)
{
    const double flat = a->window == SAC_WINDOW_HANN ? 0 : 1 - a->taper, edge = 1 - flat;
    const bool none = (a->f_number <= 0) | (a->window == SAC_WINDOW_RECT) | !(u > flat);
    return none ? 0 : (float)(0.5 * (u - flat) / edge);
}

/* Elements [begin, end), at most SAC_DAS_CHUNK, at p. */
static inline void sac_das_receive_point(sac_das_receive *__restrict rx, const sac_das *das,
                                         const double p[3], int32_t begin, int32_t end)
{
    double u2[SAC_DAS_CHUNK];
    float weight[SAC_DAS_CHUNK];
    int32_t n = 0;
    for (int32_t r = begin; r < end; r++) {
        const double *e = das->elements[r].position_m;
        double x = p[0] - e[0], y = p[1] - e[1], z = p[2] - e[2];
        rx->element[n] = r;
        rx->delay[n] = x * x + y * y + z * z;
        n += sac_das_in_aperture(&u2[n], &das->apodization, &das->elements[r], p);
    }
    rx->n = n;
    double samples = das->fs_hz / das->c_m_s, turns = das->phase_sign * das->fd_hz / das->c_m_s;
    const int32_t n_weighed = sac_das_has_window(&das->apodization) ? n : 0;
    for (int32_t k = 0; k < n; k++)
        weight[k] = 1;
    for (int32_t k = 0; k < n_weighed; k++)
        weight[k] = sac_das_window(&das->apodization, sqrt(u2[k]));
    for (int32_t k = 0; k < n_weighed; k++) {
        float edge, unused;
        sac_das_rotation(&edge, &unused, weight[k]);
        weight[k] = 0.5f + 0.5f * edge;
    }
    for (int32_t k = 0; k < n; k++) {
        double l = sqrt(rx->delay[k]);
        float re, im;
        sac_das_rotation(&re, &im, (float)sac_das_fraction(l * turns));
        rx->delay[k] = l * samples;
        rx->re[k] = re * weight[k];
        rx->im[k] = im * weight[k];
    }
}

/* sac_das_taps of received element k, for a transmit that arrives `offset` samples after the
 * record's start. */
static inline int32_t sac_das_receive_taps(double coefficient[4], int32_t *at,
                                           const sac_das_receive *rx, int32_t k, const sac_das *das,
                                           double offset)
{
    return sac_das_taps(coefficient, at, offset + rx->delay[k], das->n_samples, das->interp,
                        das->outside);
}

/* Where a transmit's samples of each received element are, in scalars, and the fraction of the way
 * to the next one. */
typedef struct sac_das_places {
    ptrdiff_t at[SAC_DAS_CHUNK];
    float fraction[SAC_DAS_CHUNK];
} sac_das_places;

/* Linear interpolation, and zero outside: the gap of zeros is read there. */
static inline void sac_das_find_places(sac_das_places *__restrict to,
                                       const sac_das_receive *__restrict rx, const sac_das *das,
                                       double offset)
{
    double last = (double)(das->n_samples - 1), gap = (double)das->n_samples;
    for (int32_t k = 0; k < rx->n; k++) {
        double s = offset + rx->delay[k];
        s = s >= 0 && s <= last ? s : gap;
        int32_t whole = (int32_t)s;
        to->fraction[k] = (float)(s - whole);
        to->at[k] = rx->element[k] * das->rx + whole * das->sample;
    }
}

/* re, im (n) += (c + j d) times n complex samples whose imaginary parts are `imag` scalars
 * further. */
static inline void sac_das_add_iq(float *__restrict re, float *__restrict im, const float *x,
                                  ptrdiff_t imag, float c, float d, int32_t n)
{
    for (int32_t f = 0; f < n; f++) {
        re[f] += c * x[f] - d * x[imag + f];
        im[f] += c * x[imag + f] + d * x[f];
    }
}

/* re, im (n) += what element k of rx receives of complex samples, interpolated in any way. */
static inline void sac_das_add_element(float *__restrict re, float *__restrict im,
                                       const sac_das_receive *rx, int32_t k, const float *data,
                                       const sac_das *das, double offset, int32_t n)
{
    double coefficient[4];
    int32_t at;
    int32_t n_taps = sac_das_receive_taps(coefficient, &at, rx, k, das, offset);
    for (int32_t j = 0; j < n_taps; j++) {
        const float *x = data + rx->element[k] * das->rx + (at + j) * das->sample;
        float c = rx->re[k] * (float)coefficient[j], d = rx->im[k] * (float)coefficient[j];
        sac_das_add_iq(re, im, x, das->imag, c, d, n);
    }
}

/* When each transmit reaches a point: what a fused kernel adds to a receive delay. */
typedef struct sac_das_transmit {
    double offset; /* (tau_tx - t0) fs, samples */
    float re, im;  /* rotation by tau_tx, less t0 where the record's start has phase 0 */
} sac_das_transmit;

static inline sac_das_transmit sac_das_transmit_at(const sac_das *das, int32_t t, double tau)
{
    sac_das_transmit tx;
    double since = tau - das->transmits[t].t0_s;
    tx.offset = since * das->fs_hz;
    double turns = das->phase_sign * das->fd_hz * (das->phase_transmit ? tau : since);
    sac_das_rotation(&tx.re, &tx.im, (float)sac_das_fraction(turns));
    return tx;
}

#endif
