/*
 * dual_f32 in plain C that compilers make vectors of: wave after wave, added to the row.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "dual_f32.h"

/* re, im (n) += one sample of a wave's image. */
static inline void add_one(float *restrict re, float *restrict im, const float *restrict x,
                           const sac_dual_taps *p, int64_t n)
{
    const float c = p->re[0], d = p->im[0];
    for (int64_t i = 0; i < n; i++) {
        re[i] += c * x[i] - d * x[n + i];
        im[i] += c * x[n + i] + d * x[i];
    }
}

/* The same of four. */
static inline void add_four(float *restrict re, float *restrict im, const float *restrict x,
                            const sac_dual_taps *p, int64_t n)
{
    const float *restrict y = x + 2 * n, *restrict z = y + 2 * n, *restrict w = z + 2 * n;
    const float a = p->re[0], b = p->re[1], c = p->re[2], d = p->re[3];
    const float e = p->im[0], f = p->im[1], g = p->im[2], h = p->im[3];
    for (int64_t i = 0; i < n; i++) {
        re[i] += ((a * x[i] - e * x[n + i]) + (b * y[i] - f * y[n + i])) +
                 ((c * z[i] - g * z[n + i]) + (d * w[i] - h * w[n + i]));
        im[i] += ((a * x[n + i] + e * x[i]) + (b * y[n + i] + f * y[i])) +
                 ((c * z[n + i] + g * z[i]) + (d * w[n + i] + h * w[i]));
    }
}

void sac_dual_f32_plain(float *restrict out, const float *restrict images,
                        const sac_dual_taps *taps, const sac_dual_size *size)
{
    const int64_t n = size->n;
    memset(out, 0, (size_t)(2 * n) * sizeof *out);
    for (int32_t t = 0; t < size->n_tx; t++) {
        const float *x = sac_dual_samples(images, taps, size, t);
        if (taps[t].n == 1)
            add_one(out, out + n, x, &taps[t], n);
        else
            add_four(out, out + n, x, &taps[t], n);
    }
}
