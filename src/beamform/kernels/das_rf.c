/*
 * das_rf_f32, das_rf_i16: the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das_rf.h"

#define FRAMES 32 /* summed at a time, so that a delay is not computed for each */

static double value(const sac_das *das, sac_dtype dtype, ptrdiff_t at)
{
    return dtype == SAC_I16 ? ((const int16_t *)das->data)[at]
                            : (double)((const float *)das->data)[at];
}

/* sum[frame] += scale f(t, r, s); `record` is in scalars. */
static void add_element(double sum[FRAMES], const sac_das *das, sac_dtype dtype, ptrdiff_t record,
                        double s, double scale, int32_t n_frames)
{
    double coefficient[4];
    int32_t at;
    int32_t taps = sac_das_taps(coefficient, &at, s, das->n_samples, das->interp, das->outside);
    for (int32_t f = 0; f < n_frames && taps > 0; f++) {
        double v = 0;
        for (int32_t k = 0; k < taps; k++)
            v += coefficient[k] * value(das, dtype, record + (at + k) * das->sample + f);
        sum[f] += scale * v;
    }
}

static void add_transmit(double sum[FRAMES], const sac_das *das, sac_dtype dtype, int32_t t,
                         int32_t frame, int32_t n_frames, int64_t index)
{
    const sac_transmit *transmit = &das->transmits[t];
    double p[3], u2;
    sac_das_point(p, das, index);
    double tau_tx = sac_das_arrival_s(transmit, das->elements, das->n_rx, das->c_m_s, p, index);
    for (int32_t r = 0; r < das->n_rx; r++) {
        const sac_element *e = &das->elements[r];
        if (!sac_das_in_aperture(&u2, &das->apodization, e, p))
            continue;
        double tau = tau_tx + sac_distance(p, e->position_m) / das->c_m_s - transmit->t0_s;
        double scale = sac_das_weight(&das->apodization, e, p);
        scale *= das->lri ? 1 : (double)das->tx_weight[t];
        add_element(sum, das, dtype, t * das->tx + r * das->rx + frame, tau * das->fs_hz, scale,
                    n_frames);
    }
}

void sac_das_rf_ref(float *out, const sac_das *das, int64_t first, int32_t n_points,
                    sac_dtype dtype)
{
    int32_t n_images = sac_das_images(das);
    for (int64_t i = 0; i < (int64_t)n_points * n_images; i++) {
        int32_t image = (int32_t)(i % n_images);
        for (int32_t frame = 0; frame < das->n_frames; frame += FRAMES) {
            int32_t n = das->n_frames - frame < FRAMES ? das->n_frames - frame : FRAMES;
            double sum[FRAMES] = {0};
            for (int32_t t = das->lri ? image : 0; t < (das->lri ? image + 1 : das->n_tx); t++)
                add_transmit(sum, das, dtype, t, frame, n, first + i / n_images);
            for (int32_t f = 0; f < n; f++)
                out[i * das->n_frames + frame + f] = (float)sum[f];
        }
    }
}
