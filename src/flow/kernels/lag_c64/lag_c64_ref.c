/*
 * lag_c64, the specification, and what the compiler makes vectors of: runs of points side by side.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lag_c64.h"

enum { RUN = 32 }; /* points */

typedef struct sums {
    double power[RUN], re[RUN], im[RUN];
} run_sums;

static const float *frame(const float *x, ptrdiff_t row, int32_t i)
{
    return (const float *)(const void *)((const char *)x + i * row);
}

static void add_power(run_sums *restrict s, const float *restrict a, int64_t n)
{
    for (int64_t p = 0; p < n; p++) {
        const double re = (double)a[2 * p], im = (double)a[2 * p + 1];
        s->power[p] += re * re + im * im;
    }
}

static void add_products(run_sums *restrict s, const float *restrict a, const float *restrict b,
                         int64_t n)
{
    for (int64_t p = 0; p < n; p++) {
        const double ar = (double)a[2 * p], ai = (double)a[2 * p + 1];
        const double br = (double)b[2 * p], bi = (double)b[2 * p + 1];
        s->re[p] += ar * br + ai * bi;
        s->im[p] += ar * bi - ai * br;
    }
}

static void put(float *out, const double *sums, int64_t n, double terms)
{
    for (int64_t p = 0; p < n; p++)
        out[p] = (float)(sums[p] / terms);
}

void sac_lag_c64_ref(float *restrict out, ptrdiff_t out_row, const float *restrict x, ptrdiff_t row,
                     int64_t n_points, int32_t n, int32_t lag)
{
    for (int64_t p = 0; p < n_points; p += RUN) {
        const int64_t run = n_points - p < RUN ? n_points - p : RUN;
        run_sums s = {.power = {0}};
        for (int32_t i = 0; i < n; i++)
            add_power(&s, frame(x, row, i) + 2 * p, run);
        put(out + p, s.power, run, n);
        if (lag == 0)
            continue;
        for (int32_t i = 0; i < n - lag; i++)
            add_products(&s, frame(x, row, i) + 2 * p, frame(x, row, i + lag) + 2 * p, run);
        char *rows = (char *)out;
        put((float *)(void *)(rows + out_row) + p, s.re, run, n - lag);
        put((float *)(void *)(rows + 2 * out_row) + p, s.im, run, n - lag);
    }
}
