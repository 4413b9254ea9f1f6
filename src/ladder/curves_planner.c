/*
 * The planner: measures every way of running a plan on batches of what waits, and chooses.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/alloc.h"
#include "ladder/curves.h"

#define MOST_SECONDS 3600
#define LEAST_FRAMES 64 /* at a load, in the time that a measurement has */
#define IDLE 0.5        /* a load, of a single frame's throughput: half of the time there is none */

/* Shares of a batch's throughput, behind a low load and the geometric mean of that and the first.
 */
static const double high[] = {0.4, 0.6, 0.8, 0.95};
static const int32_t batches[] = {1, 4, 16, 64, 256, 1024};
enum { N_LOW = 2, N_LOADS = N_LOW + sizeof high / sizeof high[0] };
enum { N_BATCHES = sizeof batches / sizeof batches[0] };
enum { OF_BATCH = 2 + N_LOADS }; /* points: throughput, at the rate, at each load */

typedef struct planner {
    sac_curves curves;
    sac_meltpool_point *points;
    int32_t n;
    double rate_hz;
    double single_hz; /* throughput of the way's single frames */
    double seconds;   /* of a measurement */
} planner;

/* The i-th load, -1 being the rate; all so high that enough frames come. */
static double load_of(const planner *p, double most_hz, int32_t i)
{
    const double low_hz = p->rate_hz > 0 ? SAC_MELTPOOL_MARGIN * p->rate_hz : IDLE * p->single_hz;
    const double load_hz = i < 0    ? p->rate_hz
                           : i == 0 ? low_hz
                           : i == 1 ? sqrt(low_hz * high[0] * most_hz)
                                    : high[i - N_LOW] * most_hz;
    return fmax(load_hz, LEAST_FRAMES / p->seconds);
}

/* The points of one way and batch: its throughput, and where that is enough, loads. */
static sac_status measure_one(planner *p, const sac_meltpool_way *way, int32_t batch,
                              sac_error *err)
{
    sac_meltpool_point point = {.way = *way, .batch = batch, .is_full = true};
    sac_status status = sac_curves_begin(&p->curves, way, batch, err);
    status = status ? status : sac_curves_measure(&p->curves, &point, p->seconds, err);
    if (status != SAC_OK)
        return status;
    const double most_hz = point.done_hz;
    p->points[p->n++] = point;
    p->single_hz = batch == 1 ? most_hz : p->single_hz;
    point.is_full = false;
    for (int32_t i = p->rate_hz > 0 ? -1 : 0;
         i < N_LOADS && status == SAC_OK && most_hz >= SAC_MELTPOOL_MARGIN * p->rate_hz; i++) {
        point.load_hz = load_of(p, most_hz, i);
        status = sac_curves_measure(&p->curves, &point, p->seconds, err);
        p->points[p->n++] = point;
    }
    return status;
}

static sac_status measure_all(planner *p, double seconds, sac_error *err)
{
    sac_meltpool_way ways[SAC_CURVES_WAYS];
    const sac_meltpool_desc of = p->curves.desc;
    const int32_t n_ways = sac_curves_ways(ways, &of);
    sac_status status = SAC_OK;
    p->seconds = seconds / (n_ways * N_BATCHES * OF_BATCH);
    for (int32_t i = 0; i < n_ways; i++)
        for (int32_t k = 0; k < N_BATCHES; k++) {
            status = measure_one(p, &ways[i], batches[k], err);
            if (status != SAC_OK && status != SAC_E_UNSUPPORTED && status != SAC_E_INVALID)
                return status;
        }
    return p->n > 0 ? SAC_OK : status; /* all are refused: the last says why */
}

sac_status sac_meltpool_choose(sac_meltpool_choice *out, const sac_meltpool_desc *desc,
                               double rate_hz, double budget_ns, double seconds, sac_error *err)
{
    if (!out || !desc)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "desc" : "out");
    *out = (sac_meltpool_choice){0};
    if (!(seconds > 0 && seconds <= MOST_SECONDS))
        return sac_fail(err, SAC_E_INVALID, "seconds: above 0, up to %d expected, got %g",
                        MOST_SECONDS, seconds);
    sac_status status = sac_curves_check_wish(rate_hz, budget_ns, err);
    if (status != SAC_OK)
        return status;
    planner p = {.rate_hz = rate_hz};
    sac_error refused = {0};
    p.points = sac_alloc(SAC_CURVES_WAYS * N_BATCHES * OF_BATCH, sizeof *p.points);
    status = p.points ? sac_curves_open(&p.curves, desc, batches[N_BATCHES - 1], &refused)
                      : sac_fail(&refused, SAC_E_NOMEM, "choose: no memory for points");
    status = status ? status : measure_all(&p, seconds, &refused);
    if (status == SAC_OK)
        status = sac_meltpool_choose_from(out, p.points, p.n, rate_hz, budget_ns, &refused);
    if (status != SAC_OK && err)
        *err = refused;
    sac_curves_close(&p.curves);
    sac_free(p.points);
    return status;
}
