/*
 * Wall filters: a basis of the slow time whose part of each point is taken out, or kept.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flow/plan.h"

#define TWO_PI 6.28318530717958647693

static sac_status refuse(const char *text, int32_t n, sac_error *err)
{
    return sac_fail(
        err, SAC_E_INVALID,
        "filter: expected none, polynomial:ORDER, svd:K, svd:LOW:HIGH or svd:auto, that "
        "leaves some of the ensemble's %d frames, got `%s`",
        n, text);
}

sac_status sac_flow_filter_parse(sac_flow_filter *filter, const char *text, int32_t n,
                                 sac_error *err)
{
    int low = 0, high = 0, end = -1;
    *filter = (sac_flow_filter){SAC_FILTER_NONE, 0, n};
    if (!text || strcmp(text, "none") == 0)
        return SAC_OK;
    if (strcmp(text, "svd:auto") == 0) {
        filter->kind = SAC_FILTER_SVD_AUTO;
        return n >= 4
                   ? SAC_OK
                   : sac_fail(err, SAC_E_INVALID,
                              "filter: svd:auto expects ensembles of 4 frames or more, got %d", n);
    }
    if (sscanf(text, "polynomial:%9d%n", &high, &end) == 1 && end > 0 && !text[end]) {
        *filter = (sac_flow_filter){SAC_FILTER_POLYNOMIAL, 0, high};
        return high >= 0 && high < n - 1 ? SAC_OK : refuse(text, n, err);
    }
    filter->kind = SAC_FILTER_SVD;
    end = -1;
    if (sscanf(text, "svd:%9d:%9d%n", &low, &high, &end) == 2 && end > 0 && !text[end]) {
        filter->low = low, filter->high = high;
        return low >= 0 && low < high && high <= n ? SAC_OK : refuse(text, n, err);
    }
    end = -1;
    if (sscanf(text, "svd:%9d%n", &low, &end) == 1 && end > 0 && !text[end]) {
        filter->low = low;
        return low >= 0 && low < n ? SAC_OK : refuse(text, n, err);
    }
    return refuse(text, n, err);
}

/* Vector k of the basis: a point's part of it is the sum of its frames times v, and makes conj(v)
 * of it. */
static void put_vector(sac_flow *plan, int32_t k, int32_t i, double re, double im)
{
    const float sign = plan->keeps ? 1 : -1;
    float *first = plan->first + 2 * ((ptrdiff_t)k * plan->n + i);
    float *second = plan->second + 2 * ((ptrdiff_t)i * plan->n_basis + k);
    first[0] = (float)re;
    first[1] = (float)im;
    second[0] = sign * (float)re;
    second[1] = -sign * (float)im;
}

/* Polynomials of orders 0 on, orthonormal over the frames: v_(k+1) is t v_k less what that has of
 * all before. (v_k and v_(k-1) would do, but for rounding.) */
static void make_polynomials(sac_flow *plan)
{
    const int32_t n = plan->n;
    double v[SAC_FLOW_MAX_ENSEMBLE];
    plan->n_basis = plan->filter.high + 1;
    for (int32_t k = 0; k < plan->n_basis; k++) {
        double sum = 0;
        for (int32_t i = 0; i < n; i++)
            v[i] = k == 0 ? 1 : (2.0 * i / (n - 1) - 1) * v[i];
        for (int32_t j = 0; j < 2 * k; j++) { /* twice: the first time leaves a rounding error */
            const float *before = plan->first + 2 * (ptrdiff_t)(j % k) * n;
            double share = 0;
            for (int32_t i = 0; i < n; i++)
                share += (double)before[2 * i] * v[i];
            for (int32_t i = 0; i < n; i++)
                v[i] -= share * (double)before[2 * i];
        }
        for (int32_t i = 0; i < n; i++)
            sum += v[i] * v[i];
        for (int32_t i = 0; i < n; i++) {
            v[i] /= sqrt(sum);
            put_vector(plan, k, i, v[i], 0);
        }
    }
}

/* Rows of the discrete Fourier transform: frequencies below 0, 0 and the highest, above 0. */
static void make_spectrum(sac_flow *plan)
{
    const int32_t n = plan->n, above = (n - 1) / 2;
    plan->n_below = above;
    plan->n_between = n - 2 * above;
    for (int32_t r = 0; r < n; r++) {
        const int32_t k = r < above                     ? n - 1 - r
                          : r < above + plan->n_between ? (r - above) * (n / 2)
                                                        : r - above - plan->n_between + 1;
        for (int32_t i = 0; i < n; i++) {
            const double angle = TWO_PI * (double)((int64_t)k * i % n) / n;
            float *m = plan->spectrum + 2 * ((ptrdiff_t)r * n + i);
            m[0] = (float)(cos(angle) / sqrt(n));
            m[1] = (float)(-sin(angle) / sqrt(n));
        }
    }
}

void sac_flow_filter_open(sac_flow *plan)
{
    if (plan->filter.kind == SAC_FILTER_POLYNOMIAL)
        make_polynomials(plan);
    if (plan->desc.kind == SAC_FLOW_DIRECTIONAL)
        make_spectrum(plan);
}

/* Tiles of rows, shared out so that each task has long rows and short ones. */
enum { GROUP = 4 };

static void add_products(void *arg, int32_t task)
{
    sac_flow *plan = arg;
    const int32_t n = plan->n;
    for (int64_t p = plan->from; p < plan->end; p += SAC_GRAM_BLOCK) {
        const int64_t left = plan->end - p;
        for (int32_t i = task * GROUP; i < n; i += plan->n_tasks * GROUP)
            plan->gram(plan->gram_of, plan->x + 2 * p, plan->row,
                       left < SAC_GRAM_BLOCK ? left : SAC_GRAM_BLOCK, n, i,
                       i + GROUP < n ? i + GROUP : n);
    }
}

void sac_flow_choose_basis(sac_flow *plan, int32_t low, int32_t high)
{
    const int32_t n = plan->n, kept = high - low;
    plan->keeps = kept <= n - kept;
    plan->n_basis = plan->keeps ? kept : n - kept;
}

static void take_vectors(sac_flow *plan, int32_t low, int32_t high)
{
    const int32_t n = plan->n;
    sac_flow_choose_basis(plan, low, high);
    for (int32_t k = 0; k < plan->n_basis; k++) {
        const int32_t at = plan->keeps ? low + k : k < low ? k : high + k - low;
        const double *v = plan->vectors + 2 * (ptrdiff_t)at * n;
        for (int32_t i = 0; i < n; i++)
            put_vector(plan, k, i, v[i], v[n + i]);
    }
}

static bool tell_of_vectors(void *ctx, double share)
{
    sac_flow *plan = ctx;
    const double from = sac_flow_share_of_products(plan), to = sac_flow_share_of_vectors(plan);
    return sac_flow_tell(plan, from + share * (to - from));
}

void sac_flow_lower(double *values, int32_t n, double sum)
{
    const double by = SAC_FLOW_RAISED * sum;
    for (int32_t k = 0; k < n; k++)
        values[k] = values[k] < by ? 0 : values[k] - by; /* NaN stays */
}

static void decompose(sac_flow *plan, double *values)
{
    const sac_eigen_watch watch = {tell_of_vectors, plan};
    const int32_t n = plan->n;
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += plan->gram_of[2 * ((ptrdiff_t)i * n + i)];
    for (int32_t i = 0; i < n; i++)
        plan->gram_of[2 * ((ptrdiff_t)i * n + i)] += SAC_FLOW_RAISED * sum;
    plan->eigen(values, plan->vectors, plan->gram_of, n, &watch);
    if (!plan->cancelled)
        sac_flow_lower(values, n, sum);
}

void sac_flow_filter_adapt(sac_flow *plan)
{
    if (!plan->gram)
        return;
    const int32_t n = plan->n;
    const int64_t at = plan->at;
    double *values = plan->singular + at * n;
    memset(plan->gram_of, 0, (size_t)n * (size_t)n * 2 * sizeof(double));
    sac_flow_run_points(plan, add_products, SAC_GRAM_BLOCK, 0.5 * n * n,
                        (const double[]){0, sac_flow_share_of_products(plan)});
    if (plan->cancelled)
        return;
    if (!plan->lapack || !sac_flow_lapack_run(plan->lapack, values, plan->vectors, plan->gram_of))
        decompose(plan, values);
    if (plan->cancelled)
        return;
    for (int32_t k = 0; k < n; k++)
        values[k] = sqrt(values[k]);
    const int32_t low =
        plan->filter.kind == SAC_FILTER_SVD_AUTO ? sac_flow_find_cut(plan) : plan->filter.low;
    plan->cuts[2 * at] = low;
    plan->cuts[2 * at + 1] = plan->filter.high;
    take_vectors(plan, low, plan->filter.high);
}
