/*
 * Latency against throughput: every way of running a plan, batch by batch, load by load.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "ladder/curves.h"
#include "base/struct.h"
#include "meltpool/ladder/scenes.h"

#define DEFAULT_SECONDS 20
#define MOST_SECONDS 86400
#define LEAST_READY 1024 /* frames */

/* Shares of a batch's throughput, dense where curves bend: the last of these, behind others that
 * rise to the first of them by equal factors. */
static const double high[] = {0.6, 0.75, 0.9, 1, 1.1};
enum { N_LOW = 4, N_LOADS = N_LOW + sizeof high / sizeof high[0] };
/* The least load: of the batch's throughput; and where a batch takes what waits, of a single
 * frame's at most: half of the time there is none. */
#define LOW 0.05
#define IDLE 0.5

void sac_meltpool_curves_desc_init(sac_meltpool_curves_desc *desc)
{
    if (desc)
        *desc = (sac_meltpool_curves_desc){.struct_size = sizeof *desc,
                                           .batch_max = SAC_CURVES_MOST_BATCH,
                                           .seconds = DEFAULT_SECONDS};
}

static void add_way(sac_meltpool_way *ways, int32_t *n, const char *name, const char *variant,
                    int32_t n_threads, bool is_resident)
{
    sac_meltpool_way *way = &ways[(*n)++];
    *way =
        (sac_meltpool_way){.variant = variant, .n_threads = n_threads, .is_resident = is_resident};
    if (is_resident)
        snprintf(way->name, sizeof way->name, "%s", name);
    else
        snprintf(way->name, sizeof way->name, "%s%" PRId32 " thread%s", name, n_threads,
                 n_threads == 1 ? "" : "s");
}

int32_t sac_curves_ways(sac_meltpool_way ways[SAC_CURVES_WAYS], const sac_meltpool_desc *desc)
{
    const int32_t n_threads = desc->n_threads ? desc->n_threads : sac_cpu_count();
    const char *variant = desc->variant;
    int32_t n = 0;
    if (desc->device.kind != SAC_DEVICE_CUDA) {
        add_way(ways, &n, "", variant, n_threads, false);
        return n;
    }
    if (variant) {
        add_way(ways, &n, "worker", variant, n_threads, true);
    } else {
        add_way(ways, &n, "worker, blocks", "frame_u8:blocks", n_threads, true);
        add_way(ways, &n, "worker, warps", "frame_u8:warps", n_threads, true);
    }
    add_way(ways, &n, "launched, ", variant, 1, false);
    if (n_threads > 1)
        add_way(ways, &n, "launched, ", variant, n_threads, false);
    return n;
}

typedef struct run {
    sac_curves curves;
    const sac_meltpool_curves_desc *desc;
    void (*point)(void *ctx, const sac_meltpool_point *point);
    void *ctx;
    double seconds;       /* of a measurement */
    double single_hz;     /* throughput of the way's single frames */
    uint64_t done, total; /* measurements */
    bool took, cancelled; /* any batch was taken; the caller wants no more */
} run;

/* On the CPU one thread and many; on a GPU every way, of frames here and there. */
static int32_t list_ways(sac_meltpool_way ways[SAC_CURVES_WAYS], const sac_meltpool_desc *plan,
                         int32_t n_threads)
{
    sac_meltpool_desc of = *plan;
    of.n_threads = n_threads ? n_threads : sac_cpu_count();
    int32_t n = sac_curves_ways(ways, &of);
    if (of.device.kind == SAC_DEVICE_CPU && of.n_threads > 1) {
        ways[1] = ways[0];
        of.n_threads = 1;
        return 1 + sac_curves_ways(ways, &of);
    }
    for (int32_t i = 0, n_here = n; i < n_here && of.device.kind == SAC_DEVICE_CUDA; i++) {
        const sac_meltpool_way way = ways[i];
        ways[n] = way;
        ways[n].on_device = true;
        snprintf(ways[n].name, sizeof ways[n].name, "%.20s (on GPU)", way.name);
        n++;
    }
    return n;
}

/* Of a way with a batch: throughput, then loads; where frames lie on the GPU, where none comes
 * from, throughput alone. */
static uint64_t count_points(const sac_meltpool_way *way, int32_t batch)
{
    return 1 + (way->on_device ? 0 : batch > 1 ? 2 * N_LOADS : N_LOADS);
}

static bool step(run *r, uint64_t n)
{
    r->done += n;
    r->cancelled =
        r->desc->progress && !r->desc->progress(r->desc->progress_ctx, r->done, r->total);
    return !r->cancelled;
}

static sac_status measure(run *r, sac_meltpool_point *p, sac_error *err)
{
    const sac_status status = sac_curves_measure(&r->curves, p, r->seconds, err);
    if (status == SAC_OK && p->frames > 0)
        r->point(r->ctx, p);
    if (status == SAC_OK)
        (void)step(r, 1);
    return status;
}

static double load_of(const run *r, bool is_full, double most_hz, int32_t i)
{
    const double low_hz =
        is_full || r->single_hz <= 0 ? LOW * most_hz : fmin(LOW * most_hz, IDLE * r->single_hz);
    return i < N_LOW ? low_hz * pow(high[0] * most_hz / low_hz, (double)i / N_LOW)
                     : high[i - N_LOW] * most_hz;
}

static sac_status measure_batch(run *r, const sac_meltpool_way *way, int32_t batch, sac_error *err)
{
    sac_meltpool_point p = {.way = *way, .batch = batch, .is_full = true};
    sac_status status = sac_curves_begin(&r->curves, way, batch, err);
    if (status == SAC_E_UNSUPPORTED || status == SAC_E_INVALID) {
        (void)step(r, count_points(way, batch));
        return SAC_OK;
    }
    r->took = true;
    status = status ? status : measure(r, &p, err);
    const double most_hz = p.done_hz;
    r->single_hz = batch == 1 ? most_hz : r->single_hz;
    for (int32_t full = 1; full >= (batch > 1 ? 0 : 1) && !way->on_device; full--)
        for (int32_t i = 0; i < N_LOADS && status == SAC_OK && !r->cancelled; i++) {
            p.is_full = full;
            p.load_hz = load_of(r, full, most_hz, i);
            status = measure(r, &p, err);
        }
    return status;
}

static sac_status measure_all(run *r, const sac_meltpool_way *ways, int32_t n_ways, sac_error *err)
{
    const int32_t batch_max = r->desc->batch_max;
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n_ways; i++)
        for (int32_t batch = 1; batch <= batch_max; batch *= 2)
            r->total += count_points(&ways[i], batch);
    r->seconds = r->desc->seconds / (double)r->total;
    for (int32_t i = 0; i < n_ways; i++)
        for (int32_t batch = 1; batch <= batch_max && status == SAC_OK && !r->cancelled; batch *= 2)
            status = measure_batch(r, &ways[i], batch, err);
    return status;
}

static sac_status check(const sac_meltpool_curves_desc *d, sac_error *err)
{
    if (d->batch_max < 1 || d->batch_max > SAC_CURVES_MOST_BATCH)
        return sac_fail(err, SAC_E_INVALID, "batch_max: 1 to %d expected, got %" PRId32,
                        SAC_CURVES_MOST_BATCH, d->batch_max);
    if (d->n_threads < 0)
        return sac_fail(err, SAC_E_INVALID, "n_threads: 0 or more expected, got %" PRId32,
                        d->n_threads);
    if (!(d->seconds > 0 && d->seconds <= MOST_SECONDS))
        return sac_fail(err, SAC_E_INVALID, "seconds: above 0, up to %d expected, got %g",
                        MOST_SECONDS, d->seconds);
    return SAC_OK;
}

sac_status sac_meltpool_curves_run(const sac_meltpool_curves_desc *desc,
                                   void (*point)(void *ctx, const sac_meltpool_point *point),
                                   void *ctx, sac_error *err)
{
    sac_meltpool_curves_desc own;
    sac_meltpool_curves_desc_init(&own);
    run r = {.desc = &own, .point = point, .ctx = ctx};
    sac_meltpool_way ways[SAC_CURVES_WAYS];
    sac_meltpool_scene_plan scene;
    sac_status status = sac_struct_take(&own, desc, "desc", err);
    status = status ? status : check(&own, err);
    if (status == SAC_OK && !point)
        status = sac_fail(err, SAC_E_INVALID, "point: is NULL");
    if (status != SAC_OK)
        return status;
    desc = &own;
    sac_meltpool_scene_plan_init(&scene);
    scene.desc.device = desc->device;
    const int32_t n_ways = list_ways(ways, &scene.desc, desc->n_threads);
    int32_t n_ready = LEAST_READY;
    while (n_ready < 2 * desc->batch_max)
        n_ready *= 2;
    sac_error refused = {0};
    status = sac_curves_open(&r.curves, &scene.desc, n_ready, &refused);
    status = status ? status : measure_all(&r, ways, n_ways, &refused);
    if (status == SAC_OK && !r.took && !r.cancelled)
        status = refused.status; /* of every way and batch */
    if (status == SAC_OK && r.cancelled)
        status = sac_fail(&refused, SAC_CANCELLED, "curves: cancelled");
    if (status != SAC_OK && err)
        *err = refused;
    sac_curves_close(&r.curves);
    return status;
}
