/*
 * Flow by the formulas of docs/flow.md, in double.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow/kernels/eigen_c128/eigen_c128.h"
#include "plans.h"
#include "plans_flow.h"

/* Complex numbers (re, im): *sum += a b, or conj(a) b. */
static void add_product(double *sum, const double *a, const double *b, bool conjugates)
{
    const double ai = conjugates ? -a[1] : a[1];
    sum[0] += a[0] * b[0] - ai * b[1];
    sum[1] += a[0] * b[1] + ai * b[0];
}

static double *take_ensemble(const scene *s, int64_t e, int32_t t)
{
    const int64_t step = s->d.step ? s->d.step : s->n;
    double *x = plan_memory((size_t)(2 * s->n * s->points), sizeof *x);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < 2 * s->points; k++)
            x[2 * i * s->points + k] =
                (double)s->iq[2 * ((e * step + i) * s->n_tx + t) * s->points + k];
    return x;
}

/* Vectors (n, n) c128 that are kept, or with *kept -1 those that are taken out; how many. */
static int32_t make_vectors(const scene *s, double *v, const double *x, int32_t low, double *leak)
{
    const int64_t n = s->n;
    if (s->order >= 0) {
        for (int64_t k = 0; k <= s->order; k++) {
            for (int64_t i = 0; i < n; i++)
                v[2 * (k * n + i)] =
                    k ? v[2 * ((k - 1) * n + i)] * (2.0 * (double)i / (double)(n - 1) - 1) : 1;
            for (int64_t j = 0; j < 2 * k; j++) {
                double share = 0;
                for (int64_t i = 0; i < n; i++)
                    share += v[2 * (j % k * n + i)] * v[2 * (k * n + i)];
                for (int64_t i = 0; i < n; i++)
                    v[2 * (k * n + i)] -= share * v[2 * (j % k * n + i)];
            }
            double square = 0;
            for (int64_t i = 0; i < n; i++)
                square += v[2 * (k * n + i)] * v[2 * (k * n + i)];
            for (int64_t i = 0; i < n; i++)
                v[2 * (k * n + i)] /= sqrt(square);
        }
        return s->order + 1;
    }
    double *g = plan_memory((size_t)(2 * n * n), sizeof *g), *values = plan_memory((size_t)n, 8);
    double *all = plan_memory((size_t)(2 * n * n), sizeof *all);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            for (int64_t p = 0; p < s->points; p++)
                add_product(g + 2 * (i * n + j), x + 2 * (i * s->points + p),
                            x + 2 * (j * s->points + p), true);
    sac_eigen_c128_ref(values, all, g, s->n, NULL);
    for (int64_t k = low; k < s->high; k++)
        for (int64_t i = 0; i < n; i++) {
            v[2 * ((k - low) * n + i)] = all[2 * k * n + i];
            v[2 * ((k - low) * n + i) + 1] = all[2 * k * n + n + i];
        }
    /* Rounding turns what is kept toward its neighbours, by as much as these are near. */
    const double above = low ? values[low - 1] - values[low] : values[0];
    const double below = s->high < n ? values[s->high - 1] - values[s->high] : values[0];
    *leak = 64 * 0x1p-24 * values[0] / fmin(above, below);
    free(g);
    free(values);
    free(all);
    return s->high - low;
}

static double greatest_power(const scene *s, const double *x)
{
    double most = 0;
    for (int64_t p = 0; p < s->points; p++) {
        double sum[2] = {0};
        for (int64_t i = 0; i < s->n; i++)
            add_product(sum, x + 2 * (i * s->points + p), x + 2 * (i * s->points + p), true);
        most = fmax(most, sum[0]);
    }
    return most;
}

/* In place; how far rounding may change amplitudes, over the largest. */
static double filter(const scene *s, double *x, int32_t low)
{
    const int64_t n = s->n, points = s->points;
    double *v = plan_memory((size_t)(2 * n * n), sizeof *v), *y = plan_memory((size_t)n, 16);
    double leak = 0;
    const double before = greatest_power(s, x);
    const int32_t count = s->order < 0 && s->high == 0 ? 0 : make_vectors(s, v, x, low, &leak);
    for (int64_t p = 0; p < points && count; p++) {
        memset(y, 0, (size_t)n * 16);
        for (int64_t k = 0; k < count; k++) {
            double share[2] = {0};
            for (int64_t i = 0; i < n; i++)
                add_product(share, v + 2 * (k * n + i), x + 2 * (i * points + p), false);
            for (int64_t i = 0; i < n; i++)
                add_product(y + 2 * i, v + 2 * (k * n + i), share, true);
        }
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < 2; c++) {
                double *to = x + 2 * (i * points + p) + c;
                *to = s->order >= 0 ? *to - y[2 * i + c] : y[2 * i + c];
            }
    }
    free(v);
    free(y);
    const double ratio = sqrt(before / greatest_power(s, x));
    return 1e-6 + ((double)(n + 3) * 0x1p-22 + leak) * ratio;
}

/* Frequencies above 0 and below; 0 and the highest are halved between them. */
static void split(const scene *s, maps *m, const double *x, int64_t p)
{
    const int64_t n = s->n;
    for (int64_t k = 0; k < n; k++) {
        double line[2] = {0};
        for (int64_t i = 0; i < n; i++) {
            const double angle = -2 * PI * (double)(k * i % n) / (double)n;
            add_product(line, (double[]){cos(angle), sin(angle)}, x + 2 * (i * s->points + p),
                        false);
        }
        const double power = (line[0] * line[0] + line[1] * line[1]) / (double)n / (double)n;
        const double above = k == 0 || 2 * k == n ? 0.5 : 2 * k < n;
        m->map[0][p] += above * power;
        m->map[1][p] += (1 - above) * power;
    }
}

static void correlate(const scene *s, maps *m, const double *x, int64_t p)
{
    const int64_t n = s->n, lag = s->d.lag;
    double power[2] = {0}, a[2] = {0};
    for (int64_t i = 0; i < n; i++) {
        const double *now = x + 2 * (i * s->points + p);
        add_product(power, now, now, true);
        if (i + lag < n)
            add_product(a, now, now + 2 * lag * s->points, true);
    }
    m->map[0][p] = power[0] / (double)n;
    m->map[1][p] = a[0] / (double)(n - lag);
    m->map[2][p] = a[1] / (double)(n - lag);
}

static void average(const scene *s, double *map)
{
    const sac_flow_desc *d = &s->d;
    const int64_t across = d->shape[d->n_axes - 1], down = d->n_axes > 1 ? d->shape[0] : 1;
    const int64_t places[] = {across, down}, inner[] = {1, s->points / down};
    double *was = plan_memory((size_t)s->points, sizeof *was);
    for (int axis = 0; axis < 2; axis++) {
        const int64_t half = d->average[axis] / 2;
        memcpy(was, map, (size_t)s->points * sizeof *was);
        for (int64_t p = 0; p < s->points; p++) {
            double sum = 0, n = 0;
            for (int64_t k = -half; k <= half; k++) {
                const int64_t at = p / inner[axis] % places[axis] + k;
                if (at >= 0 && at < places[axis])
                    sum += was[p + k * inner[axis]], n++;
            }
            map[p] = sum / n;
        }
    }
    free(was);
}

maps flow_truth(const scene *s, int64_t e, int32_t t, int32_t low)
{
    double *x = take_ensemble(s, e, t);
    maps m = {.within = 2 * filter(s, x, low)};
    m.map[0] = plan_memory((size_t)(3 * s->points), sizeof(double));
    for (int k = 1; k < 3; k++)
        m.map[k] = m.map[0] + k * s->points;
    for (int64_t p = 0; p < s->points; p++)
        (s->d.kind == SAC_FLOW_DIRECTIONAL ? split : correlate)(s, &m, x, p);
    for (int k = 0; k < 3; k++)
        average(s, m.map[k]);
    for (int64_t p = 0; p < s->points; p++)
        m.most =
            fmax(m.most, fmax(m.map[0][p], s->d.kind == SAC_FLOW_DIRECTIONAL ? m.map[1][p] : 0));
    free(x);
    return m;
}
