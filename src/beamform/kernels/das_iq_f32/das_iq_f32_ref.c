/*
 * das_iq_f32, the specification: delays, weights, rotations and sums in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_iq_f32.h"

#define PI 3.14159265358979323846
#define FRAMES 32 /* summed at a time, so that a delay is not computed for each */

/* sum[frame] += scale f(t, r, delay) exp(j 2 pi turns) */
static void add_element(double sum[FRAMES][2], const sac_das *das, const float *record, double s,
                        double turns, double scale, int32_t n_frames)
{
    double coefficient[4];
    int32_t at;
    int32_t taps = sac_das_taps(coefficient, &at, s, das->n_samples, das->interp, das->outside);
    double angle = 2 * PI * (turns - nearbyint(turns)), c = cos(angle), d = sin(angle);
    for (int32_t f = 0; f < n_frames && taps > 0; f++) {
        double re = 0, im = 0;
        for (int32_t k = 0; k < taps; k++) {
            const float *sample = record + (at + k) * das->sample + f;
            re += coefficient[k] * (double)sample[0];
            im += coefficient[k] * (double)sample[das->imag];
        }
        sum[f][0] += scale * (re * c - im * d);
        sum[f][1] += scale * (re * d + im * c);
    }
}

static void add_transmit(double sum[FRAMES][2], const sac_das *das, int32_t t, int32_t frame,
                         int32_t n_frames, int64_t index)
{
    const sac_transmit *transmit = &das->transmits[t];
    double p[3], u2;
    sac_das_point(p, das, index);
    double tau_tx = sac_das_arrival_s(transmit, das->elements, das->n_rx, das->c_m_s, p, index);
    for (int32_t r = 0; r < das->n_rx; r++) {
        const sac_element *e = &das->elements[r];
        if (!sac_das_in_aperture(&u2, &das->apodization, e, p))
            continue;
        double tau = tau_tx + sac_distance(p, e->position_m) / das->c_m_s;
        double turns =
            das->phase_sign * das->fd_hz * (das->phase_transmit ? tau : tau - transmit->t0_s);
        double scale = sac_das_weight(&das->apodization, e, p);
        scale *= das->lri ? 1 : (double)das->tx_weight[t];
        const float *record = (const float *)das->data + t * das->tx + r * das->rx + frame;
        add_element(sum, das, record, (tau - transmit->t0_s) * das->fs_hz, turns, scale, n_frames);
    }
}

void sac_das_iq_f32_ref(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    int32_t n_images = sac_das_images(das);
    for (int64_t i = 0; i < (int64_t)n_points * n_images; i++) {
        int32_t image = (int32_t)(i % n_images);
        for (int32_t frame = 0; frame < das->n_frames; frame += FRAMES) {
            int32_t n = das->n_frames - frame < FRAMES ? das->n_frames - frame : FRAMES;
            double sum[FRAMES][2] = {{0}};
            for (int32_t t = das->lri ? image : 0; t < (das->lri ? image + 1 : das->n_tx); t++)
                add_transmit(sum, das, t, frame, n, first + i / n_images);
            for (int32_t f = 0; f < n; f++) {
                out[2 * (i * das->n_frames + frame + f)] = (float)sum[f][0];
                out[2 * (i * das->n_frames + frame + f) + 1] = (float)sum[f][1];
            }
        }
    }
}
