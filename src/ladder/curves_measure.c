/*
 * One measurement: frames released by a schedule, batches run, and what became of each frame. While
 * it runs, a batch is noted in one line of memory; histograms are filled in afterwards, since at
 * tens of millions of frames a second they would be measured too.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/relax.h"
#include "ladder/curves.h"

enum {
    WARM_BATCHES = 4,  /* behind opening a plan: what is loaded, woken or chosen first */
    WARM_NS = 1000000, /* of them at least */
    LEAST_BATCHES = 4, /* of a measurement, where they are full */
    LEAST_FRAMES = 64, /* of any */
    START_NS = 20000,  /* from now to the first frame of a schedule */
    MOST_SIDE = 4096   /* of frames */
};
#define MOST_BEHIND 0.05 /* of a measurement: what its last batch has waited, where it kept up */

static sac_status empty_histograms(sac_curves *c, sac_error *err)
{
    sac_histogram **const all[] = {&c->latency, &c->buffering, &c->compute};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == SAC_OK; i++) {
        sac_histogram_close(all[i]);
        status = sac_histogram_open(all[i], err);
    }
    return status;
}

sac_status sac_curves_open(sac_curves *c, const sac_meltpool_desc *desc, int32_t n, sac_error *err)
{
    *c = (sac_curves){.desc = *desc};
    c->desc.log = NULL; /* of what is chosen in the end there is no word in what is opened here */
    if (desc->w < 1 || desc->h < 1 || desc->w > MOST_SIDE || desc->h > MOST_SIDE)
        return sac_fail(err, SAC_E_INVALID, "w, h: expected 1 to %d pixels, got %d x %d", MOST_SIDE,
                        desc->w, desc->h);
    c->records = sac_alloc(SAC_CURVES_MOST_BATCH, sizeof *c->records);
    c->batches = sac_alloc(SAC_CURVES_BATCHES, sizeof *c->batches);
    if (!c->records || !c->batches)
        return sac_fail(err, SAC_E_NOMEM, "curves: no memory for records");
    const sac_status status = sac_curves_fill(&c->frames, &c->desc, n, err);
    return status == SAC_OK ? empty_histograms(c, err) : status;
}

void sac_curves_close(sac_curves *c)
{
    sac_meltpool_close(&c->plan);
    sac_histogram_close(&c->latency);
    sac_histogram_close(&c->buffering);
    sac_histogram_close(&c->compute);
    sac_curves_free(&c->frames);
    sac_free(c->records);
    sac_free(c->batches);
}

/* Frames first .. first + n of the schedule, which do not go beyond the last that lies ready. */
static sac_status run_batch(sac_curves *c, bool on_device, int64_t first, int32_t n)
{
    const sac_curves_frames *f = &c->frames;
    const int64_t at = first % f->n;
    const sac_array array = {.data = (on_device ? f->on_device : f->pixels) + at * f->h * f->w,
                             .dtype = SAC_U8,
                             .n_dims = 3,
                             .shape = {n, f->h, f->w},
                             .stride = {(ptrdiff_t)f->h * f->w, f->w, 1},
                             .device = on_device ? f->device : (sac_device){0}};
    return sac_meltpool_run_batch(c->plan, c->records, &array, f->signals + at, NULL);
}

static sac_status warm_up(sac_curves *c, bool on_device, int32_t batch)
{
    const int64_t end = sac_clock_ns() + WARM_NS;
    sac_status status = SAC_OK;
    for (int32_t i = 0; status == SAC_OK && (i < WARM_BATCHES || sac_clock_ns() < end); i++)
        status = run_batch(c, on_device, (int64_t)i * batch, batch);
    return status;
}

static sac_status lost(sac_curves *c, const sac_meltpool_way *way, sac_status status,
                       sac_error *err)
{
    c->frames.is_stuck = status == SAC_E_DEVICE;
    return sac_fail(err, status, "curves: %s (%s): a batch failed: %s", way->name,
                    sac_meltpool_get_variant(c->plan), sac_status_name(status));
}

/* The desc as the way has it; false where it is that already. */
static bool set_way(sac_meltpool_desc *desc, const sac_meltpool_way *way, int32_t batch)
{
    const int32_t resident = way->is_resident ? batch : 0;
    if (desc->variant == way->variant && desc->n_threads == way->n_threads &&
        desc->resident == resident)
        return false;
    desc->variant = way->variant;
    desc->n_threads = way->n_threads;
    desc->resident = resident;
    return true;
}

sac_status sac_curves_begin(sac_curves *c, const sac_meltpool_way *way, int32_t batch,
                            sac_error *err)
{
    if (batch > c->frames.n)
        return sac_fail(err, SAC_E_UNSUPPORTED, "batch: %d frames of %dx%d lie ready, not %d",
                        c->frames.n, c->frames.w, c->frames.h, batch);
    sac_status status = SAC_OK;
    if (set_way(&c->desc, way, batch) || !c->plan || (way->on_device && !c->frames.on_device)) {
        sac_meltpool_close(&c->plan); /* first: a worker would hold up what is allocated */
        if (way->on_device)
            status = sac_curves_copy(&c->frames, err);
        status = status ? status : sac_meltpool_open(&c->plan, &c->desc, err);
    }
    if (status != SAC_OK)
        return status;
    status = warm_up(c, way->on_device, batch);
    return status == SAC_OK ? SAC_OK : lost(c, way, status, err);
}

static int64_t due_ns(const sac_curves *c, const sac_meltpool_point *p, int64_t frame)
{
    return c->begin_ns + (int64_t)((double)frame * 1e9 / p->load_hz);
}

static int64_t wait_until(int64_t due)
{
    int64_t now;
    while ((now = sac_clock_ns()) < due)
        sac_relax();
    return now;
}

/* How many of `left` frames to take at once from `first` on, at `now`, when the first is due. */
static int32_t take(const sac_curves *c, const sac_meltpool_point *p, int64_t first, int64_t left,
                    int64_t now)
{
    if (p->is_full)
        return p->batch;
    const double passed = (double)(now - c->begin_ns) * 1e-9 * p->load_hz;
    const int64_t waiting = (int64_t)passed + 1 - first, ring = c->frames.n - first % c->frames.n;
    int64_t n = waiting < p->batch ? waiting : p->batch;
    n = n < left ? n : left;
    n = n < ring ? n : ring;
    return n < 1 ? 1 : (int32_t)n;
}

/* n frames of a schedule; no longer than twice as long as they should take. */
static sac_status follow(sac_curves *c, const sac_meltpool_point *p, int64_t n)
{
    sac_status status = SAC_OK;
    int64_t first = 0, now = c->begin_ns = sac_clock_ns() + START_NS;
    const int64_t give_up = 2 * due_ns(c, p, n) - c->begin_ns;
    for (c->n_batches = 0; first < n && c->n_batches < SAC_CURVES_BATCHES && now < give_up;) {
        sac_curves_batch *b = &c->batches[c->n_batches++];
        b->first = first;
        b->start_ns = wait_until(due_ns(c, p, first + (p->is_full ? p->batch : 1) - 1));
        b->n = take(c, p, first, n - first, b->start_ns);
        status = run_batch(c, p->way.on_device, first, b->n);
        if (status != SAC_OK)
            return status;
        b->done_ns = now = sac_clock_ns();
        first += b->n;
    }
    return status;
}

/* Full batches one behind the other. */
static sac_status run_freely(sac_curves *c, const sac_meltpool_point *p, double seconds)
{
    sac_status status = SAC_OK;
    int64_t now = c->begin_ns = sac_clock_ns();
    const int64_t end = now + (int64_t)(seconds * 1e9);
    for (c->n_batches = 0;
         c->n_batches < SAC_CURVES_BATCHES && (c->n_batches < LEAST_BATCHES || now < end);
         c->n_batches++) {
        const int64_t first = (int64_t)c->n_batches * p->batch;
        status = run_batch(c, p->way.on_device, first, p->batch);
        if (status != SAC_OK)
            return status;
        c->batches[c->n_batches] = (sac_curves_batch){first, now, 0, p->batch};
        c->batches[c->n_batches].done_ns = now = sac_clock_ns();
    }
    return status;
}

static sac_meltpool_times times_of(const sac_histogram *h)
{
    return (sac_meltpool_times){.mean_ns = sac_histogram_get_mean(h),
                                .p50_ns = sac_histogram_get_quantile(h, 0.5),
                                .p99_ns = sac_histogram_get_quantile(h, 0.99),
                                .p999_ns = sac_histogram_get_quantile(h, 0.999),
                                .max_ns = (double)sac_histogram_get_max(h)};
}

/* What was noted, as the point says it. */
static sac_status tell(sac_curves *c, sac_meltpool_point *p, sac_error *err)
{
    const sac_status status = empty_histograms(c, err);
    if (status != SAC_OK)
        return status;
    for (int32_t k = 0; k < c->n_batches; k++) {
        const sac_curves_batch *b = &c->batches[k];
        for (int32_t i = 0; i < b->n; i++) {
            const int64_t due = p->load_hz > 0 ? due_ns(c, p, b->first + i) : b->start_ns;
            sac_histogram_record(c->latency, b->done_ns - due);
            sac_histogram_record(c->buffering, b->start_ns - due);
            sac_histogram_record(c->compute, b->done_ns - b->start_ns);
        }
    }
    const sac_curves_batch *last = &c->batches[c->n_batches - 1];
    const double took_ns = (double)(last->done_ns - c->begin_ns);
    p->frames = last->first + last->n;
    p->batches = c->n_batches;
    p->done_hz = (double)p->frames * 1e9 / took_ns;
    p->kept_up = p->load_hz <= 0 ||
                 (double)(last->start_ns - due_ns(c, p, p->frames - 1)) <= MOST_BEHIND * took_ns;
    p->latency = times_of(c->latency);
    p->buffering = times_of(c->buffering);
    p->compute = times_of(c->compute);
    return SAC_OK;
}

sac_status sac_curves_measure(sac_curves *c, sac_meltpool_point *p, double seconds, sac_error *err)
{
    sac_status status = SAC_OK;
    p->frames = p->batches = 0;
    if (p->load_hz > 0) {
        const double n = fmax(ceil(p->load_hz * seconds), LEAST_FRAMES);
        const int64_t unit = p->is_full ? p->batch : 1;
        if (p->is_full && LEAST_BATCHES * p->batch > n)
            return SAC_OK;
        status = follow(c, p, ((int64_t)n + unit - 1) / unit * unit);
    } else {
        status = run_freely(c, p, seconds);
    }
    return status == SAC_OK ? tell(c, p, err) : lost(c, &p->way, status, err);
}
