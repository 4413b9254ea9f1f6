/*
 * hilbert_f32, the specification, in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hilbert_f32.h"

#include <math.h>

static double at(const float *in, ptrdiff_t in_row, int64_t n, int64_t x, int64_t n_rows)
{
    if (n < 0 || n >= n_rows)
        return 0;
    const void *row = (const char *)in + n * in_row;
    return (double)((const float *)row)[x];
}

void sac_hilbert_f32_ref(float *out, ptrdiff_t out_row, const float *in, ptrdiff_t in_row,
                         int64_t w, int64_t n_rows, const sac_hilbert *hilbert)
{
    for (int64_t n = 0; n < n_rows; n++)
        for (int64_t x = 0; x < w; x++) {
            double q = 0, real = at(in, in_row, n, x, n_rows);
            for (int i = 0; i < SAC_HILBERT_TAPS; i++) {
                int k = 2 * i + 1;
                q += hilbert->exact[i] *
                     (at(in, in_row, n - k, x, n_rows) - at(in, in_row, n + k, x, n_rows));
            }
            void *row = (char *)out + n * out_row;
            ((float *)row)[x] = (float)sqrt(real * real + q * q);
        }
}
