/*
 * gram_c64, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gram_c64.h"

void sac_gram_c64_ref(double *restrict g, const float *restrict x, ptrdiff_t row, int64_t n_points,
                      int32_t n, int32_t first, int32_t end)
{
    for (int32_t i = first; i < end; i++) {
        const float *a = (const float *)(const void *)((const char *)x + i * row);
        for (int32_t j = i; j < n; j++) {
            const float *b = (const float *)(const void *)((const char *)x + j * row);
            double re = 0, im = 0;
            for (int64_t p = 0; p < n_points; p++) {
                const double ar = (double)a[2 * p], ai = (double)a[2 * p + 1];
                const double br = (double)b[2 * p], bi = (double)b[2 * p + 1];
                re += ar * br + ai * bi;
                im += ar * bi - ai * br;
            }
            double *to = g + 2 * ((ptrdiff_t)i * n + j);
            to[0] += re;
            to[1] += im;
        }
    }
}
