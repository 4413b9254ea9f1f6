/*
 * dual_f32, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dual_f32.h"

void sac_dual_f32_ref(float *restrict out, const float *restrict images, const sac_dual_taps *taps,
                      const sac_dual_size *size)
{
    for (int64_t i = 0; i < size->n; i++) {
        double re = 0, im = 0;
        for (int32_t t = 0; t < size->n_tx; t++)
            for (int32_t k = 0; k < taps[t].n; k++) {
                const float *x = sac_dual_samples(images, taps, size, t) + 2 * k * size->n + i;
                const double a = (double)taps[t].re[k], b = (double)taps[t].im[k];
                re += a * (double)x[0] - b * (double)x[size->n];
                im += a * (double)x[size->n] + b * (double)x[0];
            }
        out[i] = (float)re;
        out[size->n + i] = (float)im;
    }
}
