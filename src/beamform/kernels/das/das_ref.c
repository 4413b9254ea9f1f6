/*
 * das_rf_f32, das_rf_i16, das_iq_f32: the specification. Delays, weights, rotations and sums in
 * double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/das.h"

#define PI 3.14159265358979323846
#define FRAMES 32 /* summed at a time, so that a delay is not computed for each frame */

/* Samples of one type, real (n_parts 1) or complex (n_parts 2). */
typedef struct samples {
    sac_dtype dtype;
    int32_t n_parts;
} samples;

static double value(const sac_das *das, sac_dtype dtype, ptrdiff_t at)
{
    return dtype == SAC_I16 ? ((const int16_t *)das->data)[at]
                            : (double)((const float *)das->data)[at];
}

/* sum[frame] += scale f(t, r, s), times exp(j 2 pi turns) for complex samples; `record` is in
 * scalars. */
static void add_element(double sum[FRAMES][2], const sac_das *das, samples of, ptrdiff_t record,
                        double s, double turns, double scale, int32_t n_frames)
{
    double coefficient[4];
    int32_t at;
    int32_t taps = sac_das_taps(coefficient, &at, s, das->n_samples, das->interp, das->outside);
    double angle = of.n_parts == 2 ? 2 * PI * (turns - nearbyint(turns)) : 0;
    double c = cos(angle), d = sin(angle);
    for (int32_t f = 0; f < n_frames && taps > 0; f++) {
        double re = 0, im = 0;
        for (int32_t k = 0; k < taps; k++) {
            ptrdiff_t x = record + (at + k) * das->sample + f;
            re += coefficient[k] * value(das, of.dtype, x);
            if (of.n_parts == 2)
                im += coefficient[k] * value(das, of.dtype, x + das->imag);
        }
        if (of.n_parts == 2) {
            sum[f][0] += scale * (re * c - im * d);
            sum[f][1] += scale * (re * d + im * c);
        } else {
            sum[f][0] += scale * re;
        }
    }
}

static void add_transmit(double sum[FRAMES][2], const sac_das *das, samples of, int32_t t,
                         int32_t frame, int32_t n_frames, int64_t index)
{
    const sac_transmit *transmit = &das->transmits[t];
    double p[3], u2;
    sac_das_point(p, das, index);
    double tau_tx = sac_das_arrival_of(das, t, p, index);
    sac_das_receive_at(&p[0], &p[1], &das->line);
    for (int32_t r = 0; r < das->n_rx; r++) {
        const sac_element *e = &das->elements[r];
        if (!sac_das_in_aperture(&u2, &das->apodization, e, p))
            continue;
        double tau = tau_tx + sac_distance(p, e->position_m) / das->c_m_s;
        double since = tau - transmit->t0_s;
        double turns = das->phase_sign * das->fd_hz * (das->phase_transmit ? tau : since);
        double scale = sac_das_weight(&das->apodization, e, p);
        scale *= das->lri ? 1 : (double)das->tx_weight[t];
        add_element(sum, das, of, t * das->tx + r * das->rx + frame, since * das->fs_hz, turns,
                    scale, n_frames);
    }
}

void sac_das_ref(float *out, const sac_das *das, int64_t first, int32_t n_points, sac_dtype dtype,
                 int32_t n_parts)
{
    const samples of = {dtype, n_parts};
    int32_t n_images = sac_das_images(das);
    for (int64_t i = 0; i < (int64_t)n_points * n_images; i++) {
        int32_t image = (int32_t)(i % n_images);
        for (int32_t frame = 0; frame < das->n_frames; frame += FRAMES) {
            int32_t n = das->n_frames - frame < FRAMES ? das->n_frames - frame : FRAMES;
            double sum[FRAMES][2] = {{0}};
            for (int32_t t = das->lri ? image : 0; t < (das->lri ? image + 1 : das->n_tx); t++)
                add_transmit(sum, das, of, t, frame, n, first + i / n_images);
            for (int32_t f = 0; f < n; f++)
                for (int32_t part = 0; part < n_parts; part++)
                    out[n_parts * (i * das->n_frames + frame + f) + part] = (float)sum[f][part];
        }
    }
}
