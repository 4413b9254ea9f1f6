/*
 * Adaptive weights, the specification: obvious loops in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/reduction.h"

#include <math.h>

#define PI 3.14159265358979323846

static double square(const double x[2])
{
    return x[0] * x[0] + x[1] * x[1];
}

static double over(double a, double b)
{
    return b != 0 ? a / b : 0;
}

static double power_of(const double (*x)[2], int32_t n)
{
    double sum = 0;
    for (int32_t m = 0; m < n; m++)
        sum += square(x[m]);
    return sum;
}

/* Of |k| <= n_side; n_side 0: the coherence factor. */
static double coherence(const double (*x)[2], int32_t n, int32_t n_side)
{
    double low = 0;
    if (n_side > 0 && 2 * n_side + 1 >= n)
        return 1;
    for (int32_t k = -n_side; k <= n_side; k++) {
        double bin[2] = {0};
        for (int32_t m = 0; m < n; m++) {
            const double angle = -2 * PI * k * m / n, c = cos(angle), d = sin(angle);
            bin[0] += x[m][0] * c - x[m][1] * d;
            bin[1] += x[m][0] * d + x[m][1] * c;
        }
        low += square(bin);
    }
    return over(low, n * power_of(x, n));
}

static double sign_coherence(const double (*x)[2], int32_t n, int32_t part, double p)
{
    double b = 0;
    for (int32_t m = 0; m < n; m++)
        b += (x[m][part] > 0) - (x[m][part] < 0);
    b = over(b, n);
    return pow(1 - sqrt(1 - b * b), p);
}

static void multiply_and_sum(double out[2], const double (*x)[2], int32_t n, double p)
{
    double y[2] = {0};
    for (int32_t m = 0; m < n; m++) {
        const double l = sqrt(square(x[m])), scale = l != 0 ? pow(l, 1 / p - 1) : 0;
        y[0] += scale * x[m][0];
        y[1] += scale * x[m][1];
    }
    const double scale = n > 0 ? pow(sqrt(square(y)) / n, p - 1) : 0;
    out[0] = scale * y[0];
    out[1] = scale * y[1];
}

static double short_lag(const double (*x)[2], int32_t n, int32_t n_lags)
{
    double sum = 0;
    for (int32_t m = 1; m <= n_lags && m < n; m++) {
        double of_lag = 0;
        for (int32_t i = 0; i + m < n; i++) {
            const double *a = x[i], *b = x[i + m];
            of_lag += over(a[0] * b[0] + a[1] * b[1], sqrt(square(a)) * sqrt(square(b)));
        }
        sum += of_lag / (n - m);
    }
    return sum / n_lags;
}

/* Row i = (row i - what columns before j leave of it) / column j's pivot. */
static void eliminate(double *row, const double *pivot_row, int32_t j)
{
    for (int32_t k = 0; k < j; k++) {
        const double *a = row + 2 * k, *b = pivot_row + 2 * k;
        row[2 * j] -= a[0] * b[0] + a[1] * b[1];
        row[2 * j + 1] -= a[1] * b[0] - a[0] * b[1];
    }
    row[2 * j] = over(row[2 * j], pivot_row[2 * j]);
    row[2 * j + 1] = over(row[2 * j + 1], pivot_row[2 * j]);
}

/* Cholesky's factor of R; two more rows become 1^H and s^H times its inverse's transpose. */
static void minimum_variance(double out[2], const double (*x)[2], int32_t n, int32_t l,
                             double loading, double *rows)
{
    const int32_t n_sub = n - l + 1;
    double trace = 0, w2 = 0, ws[2] = {0}, *ones = rows + 2 * l * l, *sums = ones + 2 * l;
    for (int32_t i = 0; i < l; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double *r = rows + 2 * (i * l + j);
            r[0] = r[1] = 0;
            for (int32_t k = 0; k < n_sub; k++) {
                const double *a = x[k + i], *b = x[k + j];
                r[0] += (a[0] * b[0] + a[1] * b[1]) / n_sub;
                r[1] += (a[1] * b[0] - a[0] * b[1]) / n_sub;
            }
        }
        trace += rows[2 * (i * l + i)];
        ones[2 * i] = 1;
        ones[2 * i + 1] = sums[2 * i] = sums[2 * i + 1] = 0;
        for (int32_t k = 0; k < n_sub; k++) {
            sums[2 * i] += x[k + i][0] / n_sub;
            sums[2 * i + 1] -= x[k + i][1] / n_sub;
        }
    }
    for (int32_t j = 0; j < l; j++) {
        double *pivot_row = rows + 2 * j * l, *pivot = pivot_row + 2 * j;
        *pivot += loading / l * trace;
        for (int32_t k = 0; k < j; k++)
            *pivot -= square(pivot_row + 2 * k);
        *pivot = sqrt(*pivot);
        for (int32_t i = j + 1; i < l + 2; i++)
            eliminate(rows + 2 * i * l, pivot_row, j);
        const double *a = ones + 2 * j, *b = sums + 2 * j;
        w2 += square(a);
        ws[0] += a[0] * b[0] + a[1] * b[1];
        ws[1] += a[1] * b[0] - a[0] * b[1];
    }
    out[0] = over(n * ws[0], w2);
    out[1] = over(n * ws[1], w2);
}

void sac_reduce(double out[2], const double (*x)[2], int32_t n, const sac_reduction *reduction,
                double *scratch)
{
    const sac_reduction *r = reduction;
    double factor[2] = {1, 1};
    out[0] = out[1] = 0;
    for (int32_t m = 0; m < n; m++) {
        out[0] += x[m][0];
        out[1] += x[m][1];
    }
    if (r->kind == SAC_REDUCE_CF || r->kind == SAC_REDUCE_GCF)
        factor[0] = factor[1] = coherence(x, n, r->kind == SAC_REDUCE_CF ? 0 : (int32_t)r->amount);
    for (int32_t part = 0; part < 2 && r->kind == SAC_REDUCE_SCF; part++)
        factor[part] = sign_coherence(x, n, part, r->amount);
    out[0] *= factor[0];
    out[1] *= factor[1];
    if (r->kind == SAC_REDUCE_DMAS)
        multiply_and_sum(out, x, n, r->amount);
    if (r->kind == SAC_REDUCE_SLSC) {
        out[0] = short_lag(x, n, sac_reduction_lags(r, n));
        out[1] = 0;
    }
    if (r->kind == SAC_REDUCE_MV && n > 0)
        minimum_variance(out, x, n, sac_reduction_length(r, n), r->loading, scratch);
}
