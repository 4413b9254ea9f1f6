/*
 * The mean frequency of IQ images, from the phase between neighbours in depth.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include <saccade/flow.h>

#include "base/array_check.h"

#define PI 3.14159265358979323846

static sac_status check(const double *f_hz, const sac_array *images, double step_m, double fc_hz,
                        double c_m_s, int32_t phase_sign, sac_error *err)
{
    if (!f_hz || !images)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", f_hz ? "images" : "f_hz");
    const sac_status st = sac_array_check(images, "images", err);
    if (st)
        return st;
    if (images->dtype != SAC_C64 || images->n_dims < 2 || !sac_array_is_contiguous(images) ||
        images->shape[images->n_dims - 2] < 2)
        return sac_fail(err, SAC_E_SHAPE,
                        "images: expected contiguous c64 (.., n_z, n_x) with n_z of 2 or more");
    if (!isfinite(step_m) || step_m == 0 || !(fc_hz > 0) || !(c_m_s > 0) ||
        !isfinite(fc_hz / c_m_s) || (phase_sign != 1 && phase_sign != -1))
        return sac_fail(err, SAC_E_INVALID,
                        "step_m, fc_hz, c_m_s, phase_sign: expected a step, a frequency and a "
                        "speed above 0, and a sign, got %g, %g, %g, %d",
                        step_m, fc_hz, c_m_s, phase_sign);
    return sac_array_expect_on(images, "images", SAC_CPU, err);
}

sac_status sac_flow_mean_frequency(double *f_hz, const sac_array *images, double step_m,
                                   double fc_hz, double c_m_s, int32_t phase_sign, sac_error *err)
{
    const sac_status st = check(f_hz, images, step_m, fc_hz, c_m_s, phase_sign, err);
    if (st)
        return st;
    const int64_t n_x = images->shape[images->n_dims - 1], n_z = images->shape[images->n_dims - 2];
    const int64_t n_planes = sac_array_count(images) / (n_x * n_z);
    double re = 0, im = 0;
    for (int64_t plane = 0; plane < n_planes; plane++) {
        const float *x = (const float *)images->data + 2 * plane * n_z * n_x, *y = x + 2 * n_x;
        for (int64_t i = 0; i < 2 * (n_z - 1) * n_x; i += 2) { /* conj(x) y */
            re += (double)x[i] * (double)y[i] + (double)x[i + 1] * (double)y[i + 1];
            im += (double)x[i] * (double)y[i + 1] - (double)x[i + 1] * (double)y[i];
        }
    }
    if (!isfinite(re + im) || (re == 0 && im == 0))
        return sac_fail(err, SAC_E_INVALID, "images: have no power, or are not finite");
    const double turn = 4 * PI * step_m / c_m_s; /* a hertz */
    *f_hz = fc_hz + remainder(phase_sign * atan2(im, re) - turn * fc_hz, 2 * PI) / turn;
    return SAC_OK;
}
