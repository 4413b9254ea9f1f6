/*
 * Where curves bend, and which way of running a plan, in batches of how many, suits a rate or a
 * latency.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ladder/curves.h"

#define AS_LATE 1.5 /* inflection points that differ by less are as good: they are noisy */

const sac_meltpool_point *sac_meltpool_inflection(const sac_meltpool_point *points, int32_t n)
{
    double lowest = INFINITY;
    const sac_meltpool_point *found = NULL;
    for (int32_t i = 0; points && i < n; i++)
        if (points[i].load_hz > 0 && points[i].kept_up)
            lowest = fmin(lowest, points[i].latency.p50_ns);
    for (int32_t i = 0; points && i < n; i++) {
        const sac_meltpool_point *p = &points[i];
        if (p->load_hz > 0 && p->kept_up && p->latency.p50_ns <= SAC_MELTPOOL_LOWEST * lowest &&
            (!found || p->load_hz > found->load_hz))
            found = p;
    }
    return found;
}

/* How many of n points, from the first on, are of one way and batch. */
static int32_t count_of_one(const sac_meltpool_point *p, int32_t n)
{
    int32_t k = 1;
    while (k < n && p[k].batch == p->batch && !strcmp(p[k].way.name, p->way.name))
        k++;
    return k;
}

static double most_of(const sac_meltpool_point *points, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++)
        most = fmax(most, points[i].load_hz > 0 ? 0 : points[i].done_hz);
    return most;
}

/* What it is like at a rate: the point with the least load of at least that. */
static const sac_meltpool_point *point_at(const sac_meltpool_point *points, int32_t n,
                                          double rate_hz)
{
    const sac_meltpool_point *found = NULL;
    for (int32_t i = 0; i < n; i++)
        if (points[i].load_hz >= rate_hz * (1 - 1e-9) &&
            (!found || points[i].load_hz < found->load_hz))
            found = &points[i];
    return found && found->kept_up ? found : NULL;
}

static sac_meltpool_choice choice_of(const sac_meltpool_point *at, const sac_meltpool_point *points,
                                     int32_t n)
{
    const sac_meltpool_point *bend = sac_meltpool_inflection(points, n);
    return (sac_meltpool_choice){
        .at = *at, .most_hz = most_of(points, n), .inflection_hz = bend ? bend->load_hz : 0};
}

/* What a way and batch, n points, is like at the rate; false where it does not sustain it. */
static bool sustains(sac_meltpool_choice *out, const sac_meltpool_point *points, int32_t n,
                     double rate_hz)
{
    const sac_meltpool_point *at = point_at(points, n, rate_hz);
    if (!at || most_of(points, n) < SAC_MELTPOOL_MARGIN * rate_hz)
        return false;
    *out = choice_of(at, points, n);
    return true;
}

/* Where no way and batch sustains the rate. */
static sac_status too_fast(const sac_meltpool_point *points, int32_t n, double rate_hz,
                           sac_error *err)
{
    const sac_meltpool_point *most = points;
    for (int32_t i = 1; i < n; i++)
        if (points[i].load_hz <= 0 && (most->load_hz > 0 || points[i].done_hz > most->done_hz))
            most = &points[i];
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "rate: %.0f frames/s are not sustained here with a margin of %.0f %%: at most "
                    "%.0f frames/s in all (%s, batches of %" PRId32 ")",
                    rate_hz, 100 * (SAC_MELTPOOL_MARGIN - 1), most->done_hz, most->way.name,
                    most->batch);
}

static sac_status too_slow(const sac_meltpool_point *p, double budget_ns, sac_error *err)
{
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "latency: a budget of %.6g us is not reached here: at best 99 %% of frames are "
                    "done within %.4g us (at %.0f frames/s: %s, batches of up to %" PRId32 ")",
                    1e-3 * budget_ns, 1e-3 * p->latency.p99_ns, p->load_hz, p->way.name, p->batch);
}

/* What is asked of a candidate, found in this order. */
typedef struct limits {
    double rate_hz, budget_ns;
    double slowest_ns;    /* median */
    double inflection_hz; /* at least */
} limits;

static bool meets(sac_meltpool_choice *out, const sac_meltpool_point *points, int32_t n,
                  const limits *l)
{
    return sustains(out, points, n, l->rate_hz) && out->at.latency.p99_ns <= l->budget_ns &&
           out->at.latency.p50_ns <= l->slowest_ns && out->inflection_hz >= l->inflection_hz;
}

/* Of what meets the limits: the lowest median, the highest inflection point, the smallest batch. */
static bool extremes(const sac_meltpool_point *points, int32_t n, const limits *l,
                     double *lowest_ns, double *highest_hz, sac_meltpool_choice *smallest)
{
    sac_meltpool_choice one;
    bool any = false;
    for (int32_t i = 0, k; i < n; i += k) {
        k = count_of_one(points + i, n - i);
        if (!meets(&one, points + i, k, l))
            continue;
        *lowest_ns = any ? fmin(*lowest_ns, one.at.latency.p50_ns) : one.at.latency.p50_ns;
        *highest_hz = any ? fmax(*highest_hz, one.inflection_hz) : one.inflection_hz;
        if (!any || one.at.batch < smallest->at.batch ||
            (one.at.batch == smallest->at.batch &&
             one.at.latency.p50_ns < smallest->at.latency.p50_ns))
            *smallest = one;
        any = true;
    }
    return any;
}

/* Where the budget is too small for all that sustain the rate: the quickest of them. */
static sac_status choose_none(const sac_meltpool_point *points, int32_t n, double rate_hz,
                              double budget_ns, sac_error *err)
{
    sac_meltpool_choice one, quickest = {0};
    for (int32_t i = 0, k; i < n; i += k) {
        k = count_of_one(points + i, n - i);
        if (sustains(&one, points + i, k, rate_hz) &&
            (!quickest.at.batch || one.at.latency.p99_ns < quickest.at.latency.p99_ns))
            quickest = one;
    }
    return quickest.at.batch ? too_slow(&quickest.at, budget_ns, err)
                             : too_fast(points, n, rate_hz, err);
}

static sac_status choose_at(sac_meltpool_choice *out, const sac_meltpool_point *points, int32_t n,
                            double rate_hz, double budget_ns, sac_error *err)
{
    limits l = {rate_hz, budget_ns, INFINITY, 0};
    double lowest_ns, highest_hz;
    if (!extremes(points, n, &l, &lowest_ns, &highest_hz, out))
        return choose_none(points, n, rate_hz, budget_ns, err);
    l.slowest_ns = SAC_MELTPOOL_LOWEST * lowest_ns;
    (void)extremes(points, n, &l, &lowest_ns, &highest_hz, out);
    l.inflection_hz = highest_hz / AS_LATE;
    (void)extremes(points, n, &l, &lowest_ns, &highest_hz, out);
    return SAC_OK;
}

static sac_status choose_within(sac_meltpool_choice *out, const sac_meltpool_point *points,
                                int32_t n, double budget_ns, sac_error *err)
{
    const sac_meltpool_point *quickest = NULL;
    for (int32_t i = 0, k; i < n; i += k) {
        k = count_of_one(points + i, n - i);
        for (const sac_meltpool_point *p = points + i; p < points + i + k; p++) {
            if (p->load_hz <= 0 || !p->kept_up)
                continue;
            if (p->latency.p99_ns <= budget_ns && p->load_hz > out->at.load_hz)
                *out = choice_of(p, points + i, k);
            if (!quickest || p->latency.p99_ns < quickest->latency.p99_ns)
                quickest = p;
        }
    }
    if (out->at.batch)
        return SAC_OK;
    return quickest ? too_slow(quickest, budget_ns, err)
                    : sac_fail(err, SAC_E_UNSUPPORTED, "points: none kept up with its load");
}

sac_status sac_curves_check_wish(double rate_hz, double budget_ns, sac_error *err)
{
    if (rate_hz >= 0 && budget_ns >= 0 && rate_hz + budget_ns > 0 && isfinite(rate_hz) &&
        isfinite(budget_ns))
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID,
                    "choose: a rate or a budget above 0 expected, got %g Hz and %g ns", rate_hz,
                    budget_ns);
}

/* A number that is not finite would win or lose every comparison. */
static sac_status check_points(const sac_meltpool_point *points, int32_t n, sac_error *err)
{
    if (n < 1)
        return sac_fail(err, SAC_E_INVALID, "points: 1 or more expected, got %" PRId32, n);
    for (int32_t i = 0; i < n; i++) {
        const sac_meltpool_point *p = &points[i];
        const double all[] = {p->load_hz, p->done_hz, p->latency.p50_ns, p->latency.p99_ns};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            if (!(all[k] >= 0 && isfinite(all[k])))
                return sac_fail(err, SAC_E_INVALID,
                                "points[%" PRId32 "]: expected loads, rates and latencies of 0 or "
                                "more, got %g",
                                i, all[k]);
    }
    return SAC_OK;
}

sac_status sac_meltpool_choose_from(sac_meltpool_choice *out, const sac_meltpool_point *points,
                                    int32_t n, double rate_hz, double budget_ns, sac_error *err)
{
    if (!out || !points)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "points" : "out");
    *out = (sac_meltpool_choice){0};
    const sac_status status = check_points(points, n, err);
    if (status != SAC_OK)
        return status;
    const sac_status wish = sac_curves_check_wish(rate_hz, budget_ns, err);
    if (wish != SAC_OK)
        return wish;
    return rate_hz > 0
               ? choose_at(out, points, n, rate_hz, budget_ns > 0 ? budget_ns : INFINITY, err)
               : choose_within(out, points, n, budget_ns, err);
}
