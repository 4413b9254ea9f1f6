/*
 * Where tissue ends, of itself: the spatial similarity matrix. Components of tissue have alike
 * magnitudes over the image, those of blood too, but not one like the other: two squares on the
 * diagonal, which are fitted (and a third, where what lies behind is alike, too). (Baranger et al.,
 * "Adaptive spatiotemporal SVD clutter filtering for ultrafast Doppler imaging using similarity of
 * spatial singular vectors", IEEE TMI 37, 2018.)
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "flow/plan.h"

/* Points at equal steps, side by side. */
static void pick(sac_flow *plan)
{
    const int64_t n = plan->n_picked, all = plan->n_points;
    for (int32_t i = 0; i < plan->n; i++) {
        const float *from = sac_mix_row(plan->x, plan->row, i);
        float *to = plan->picked + 2 * i * n;
        for (int64_t p = 0; p < n; p++)
            memcpy(to + 2 * p, from + 2 * (all * p / n), 2 * sizeof *to);
    }
}

/* The magnitudes of every component there, less their mean, with the length 1: (n, n_picked). */
static void make_shares(sac_flow *plan)
{
    const int64_t points = plan->n_picked;
    const int32_t n = plan->n;
    for (int32_t k = 0; k < n; k++)
        for (int32_t i = 0; i < n; i++) {
            const double *v = plan->vectors + 2 * (ptrdiff_t)k * n;
            plan->first[2 * ((ptrdiff_t)k * n + i)] = (float)v[i];
            plan->first[2 * ((ptrdiff_t)k * n + i) + 1] = (float)v[n + i];
        }
    const sac_mix_job job = sac_flow_shares_job(plan, plan->shares, plan->picked, plan->first);
    plan->mix(&job);
    for (int32_t k = 0; k < n; k++) {
        float *u = plan->shares + 2 * k * points;
        double mean = 0, square = 0;
        for (int64_t p = 0; p < points; p++) {
            u[p] = hypotf(u[2 * p], u[2 * p + 1]);
            mean += (double)u[p] / (double)points;
        }
        for (int64_t p = 0; p < points; p++)
            square += ((double)u[p] - mean) * ((double)u[p] - mean);
        const double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t p = 0; p < points; p++)
            u[p] = (float)(scale * ((double)u[p] - mean));
    }
}

/* Two real numbers side by side are taken for a complex one: the real part of the product is what
 * is wanted. */
static void compare_shares(sac_flow *plan)
{
    const int32_t n = plan->n;
    memset(plan->similarity, 0, (size_t)n * (size_t)n * 2 * sizeof(double));
    plan->gram(plan->similarity, plan->shares, plan->n_picked * 2 * (ptrdiff_t)sizeof(float),
               plan->n_picked / 2, n, 0, n);
}

/* Sums of the similarities of components 0 to i - 1 with 0 to j - 1. */
static void sum_similarity(sac_flow *plan)
{
    const int32_t n = plan->n;
    double *sums = plan->sums;
    for (int32_t i = 0; i <= n; i++)
        sums[i] = sums[(ptrdiff_t)i * (n + 1)] = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            const ptrdiff_t at = i < j ? (ptrdiff_t)i * n + j : (ptrdiff_t)j * n + i;
            double *to = sums + (ptrdiff_t)(i + 1) * (n + 1) + j + 1;
            *to = plan->similarity[2 * at] + to[-1] + to[-(n + 1)] - to[-(n + 2)];
        }
}

/* Of the square of components from a to b - 1. */
static double square_sum(const double *sums, int32_t n, int32_t a, int32_t b)
{
    const double *low = sums + (ptrdiff_t)a * (n + 1), *high = sums + (ptrdiff_t)b * (n + 1);
    return high[b] - high[a] - low[b] + low[a];
}

/* Of a matrix with squares of ones: its sum inside of them, in all, and cells; up to a factor. */
static double correlation(double inside, double total, double cells, double all)
{
    return (inside - total * cells / all) / sqrt(cells * (1 - cells / all));
}

int32_t sac_flow_find_cut(sac_flow *plan)
{
    pick(plan);
    make_shares(plan);
    compare_shares(plan);
    return sac_flow_fit_squares(plan);
}

int32_t sac_flow_fit_squares(sac_flow *plan)
{
    const int32_t n = plan->n;
    const double all = (double)n * n;
    int32_t best = 1;
    double most = -INFINITY;
    sum_similarity(plan);
    const double total = square_sum(plan->sums, n, 0, n);
    for (int32_t a = 1; a < n; a++)
        for (int32_t b = a + 1; b <= n; b++) {
            /* Behind them is noise, of which nothing is alike, or what is left of signals below it,
             * which is alike again. */
            const double rest = (double)(n - b) * (n - b);
            const double cells = (double)a * a + (double)(b - a) * (b - a);
            const double inside = square_sum(plan->sums, n, 0, a) + square_sum(plan->sums, n, a, b);
            const double fit = fmax(
                correlation(inside, total, cells, all),
                correlation(inside + square_sum(plan->sums, n, b, n), total, cells + rest, all));
            if (fit > most) {
                most = fit;
                best = a;
            }
        }
    return best;
}
