/*
 * The competitors, checked against the reference, then timed in turns: what the machine does beside
 * hits all alike. An entry's turn is five runs, of which the last counts: its threads are awake
 * and its tables hot, whoever ran before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize_bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "equalize/ladder/check.h"
#include "equalize/plan.h"
#include "equalize_opencv.h"
#include "options.h"
#include "base/timings.h"

#define MIN_ROUNDS 11

static bool run_plan(bench *b, bench_entry *e)
{
    return sac_equalize_run(e->plan, &b->out, &b->in, NULL) == SAC_OK;
}

static bool run_copy(bench *b, bench_entry *e)
{
    (void)e;
    memcpy(b->out.data, b->in.data, b->n_bytes);
    return true;
}

static int32_t channels(const sac_array *a)
{
    return a->n_dims == 3 ? (int32_t)a->shape[2] : 1;
}

static bool run_opencv(bench *b, bench_entry *e)
{
    (void)e;
    return bench_opencv_equalize(b->out.data, b->in.data, (int)b->in.shape[1], (int)b->in.shape[0],
                                 channels(&b->in));
}

static sac_equalize_desc describe(const bench *b, int32_t n_threads)
{
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = b->in.dtype;
    desc.w = b->in.shape[1];
    desc.h = b->in.shape[0];
    desc.n_channels = channels(&b->in);
    desc.n_threads = n_threads;
    desc.clahe[0] = desc.clahe[1] = b->clahe;
    return desc;
}

/* The specification's bytes, and the bins that it takes filled in. */
static sac_status make_reference(bench *b, sac_error *err)
{
    sac_equalize_desc desc = describe(b, 1);
    desc.bins = desc.dtype == SAC_U8 ? 256 : 65536;
    sac_equalize_job job = {.desc = &desc, .counts = sac_alloc(65536, sizeof *job.counts)};
    sac_array want = b->out;
    want.data = b->want;
    sac_status st = job.counts ? SAC_OK : sac_fail(err, SAC_E_NOMEM, "no memory to check with");
    if (st == SAC_OK && (sac_equalize_pixels(&job.in, &b->in, "in", &desc, NULL) != SAC_OK ||
                         sac_equalize_pixels(&job.out, &want, "out", &desc, NULL) != SAC_OK))
        st = sac_fail(err, SAC_E_SHAPE, "expected a picture of 1 to 4 channels");
    if (st == SAC_OK)
        sac_equalize_ref(&job);
    sac_free(job.counts);
    return st;
}

/* CLAHE's: a plan of the rooms' references. */
static sac_status make_clahe_reference(bench *b, sac_error *err)
{
    sac_equalize_desc desc = describe(b, 1);
    sac_equalize *plan;
    sac_array want = b->out;
    want.data = b->want;
    desc.variant = "ref";
    sac_status st = sac_equalize_open(&plan, &desc, err);
    if (st == SAC_OK)
        st = sac_equalize_run(plan, &want, &b->in, err);
    sac_equalize_close(&plan);
    return st;
}

static bench_entry *add(bench *b, const char *name, int32_t n_threads,
                        bool (*run)(bench *b, bench_entry *e))
{
    bench_entry *e = &b->entry[b->n_entries++];
    *e = (bench_entry){.name = name, .n_threads = n_threads, .run = run};
    return e;
}

static sac_status add_plan(bench *b, const char *name, int32_t n_threads, const char *variant,
                           sac_error *err)
{
    sac_equalize_desc desc = describe(b, n_threads);
    desc.variant = variant;
    return sac_equalize_open(&add(b, name, n_threads, run_plan)->plan, &desc, err);
}

static sac_status add_levels(bench *b, sac_error *err)
{
    sac_status st = SAC_OK;
    for (int level = BENCH_N_LEVELS - 1; level >= 0 && st == SAC_OK; level--)
        if (bench_use_level(level))
            st = add_plan(b, bench_level_names[level], 1, NULL, err);
    return st;
}

static sac_status add_plans(bench *b, int32_t n_threads, sac_error *err)
{
    sac_status st = add_plan(b, "saccade", 1, NULL, err);
    if (st == SAC_OK && n_threads > 1)
        st = add_plan(b, "saccade", n_threads, NULL, err);
    if (st == SAC_OK)
        st = add_plan(b, "saccade plain", 1, "plain", err);
    return st;
}

/* Saccade's entries first: the others are held against them. */
static sac_status add_entries(bench *b, int32_t n_threads, sac_error *err)
{
    const bool several = n_threads > 1;
    const sac_status st = n_threads ? add_plans(b, n_threads, err) : add_levels(b, err);
    if (st != SAC_OK)
        return st;
    const int32_t n_channels = channels(&b->in);
    b->has_opencv = bench_opencv_version() && b->in.dtype == SAC_U8 && !b->clahe &&
                    (n_channels == 1 || n_channels == 3);
    if (b->has_opencv) {
        add(b, "OpenCV", 1, run_opencv);
        if (several)
            add(b, "OpenCV", n_threads, run_opencv);
    }
    add(b, "memcpy", 1, run_copy);
    for (int32_t i = 0; i < b->n_entries; i++) {
        bench_entry *e = &b->entry[i];
        e->against = &b->entry[e->n_threads > 1];
        e->ns = sac_alloc(BENCH_MAX_ROUNDS, sizeof *e->ns);
        if (!e->ns)
            return sac_fail(err, SAC_E_NOMEM, "no memory for %d times", BENCH_MAX_ROUNDS);
    }
    return SAC_OK;
}

sac_status bench_open(bench *b, const sac_array *in, int32_t clahe, int32_t n_threads,
                      sac_error *err)
{
    *b = (bench){.in = *in, .out = *in, .clahe = clahe};
    b->n_bytes = (size_t)sac_array_count(in) * sac_dtype_size(in->dtype);
    b->out.data = sac_alloc(b->n_bytes, 1);
    b->want = sac_alloc(b->n_bytes, 1);
    sac_status st = SAC_OK;
    if (!b->out.data || !b->want)
        st = sac_fail(err, SAC_E_NOMEM, "no memory for two pictures of %zu bytes", b->n_bytes);
    if (st == SAC_OK)
        st = clahe ? make_clahe_reference(b, err) : make_reference(b, err);
    if (st == SAC_OK)
        st = add_entries(b, n_threads, err);
    if (st != SAC_OK)
        bench_close(b);
    return st;
}

void bench_close(bench *b)
{
    for (int32_t i = 0; i < b->n_entries; i++) {
        sac_equalize_close(&b->entry[i].plan);
        sac_free(b->entry[i].ns);
    }
    sac_free(b->out.data);
    sac_free(b->want);
    *b = (bench){0};
}

static int32_t sample(const void *data, sac_dtype dtype, size_t i)
{
    return dtype == SAC_U8 ? ((const uint8_t *)data)[i] : ((const uint16_t *)data)[i];
}

static double largest_difference(const bench *b)
{
    int32_t largest = 0;
    for (size_t i = 0; i < b->n_bytes / sac_dtype_size(b->in.dtype); i++) {
        const int32_t d =
            abs(sample(b->out.data, b->in.dtype, i) - sample(b->want, b->in.dtype, i));
        largest = d > largest ? d : largest;
    }
    return largest;
}

bool bench_check(bench *b)
{
    for (int32_t i = 0; i < b->n_entries; i++) {
        bench_entry *e = &b->entry[i];
        memset(b->out.data, 0xA5, b->n_bytes);
        if (!e->run(b, e))
            return false;
        e->checked = e->run != run_copy;
        e->error = e->checked ? largest_difference(b) : 0;
    }
    return true;
}

/* From the times as they came, in rounds: the ratio needs pairs, the ranks need order. */
static void summarize(bench *b)
{
    int64_t sorted[BENCH_MAX_ROUNDS];
    const int32_t n = b->n_rounds;
    for (int32_t i = 0; i < b->n_entries; i++) {
        bench_entry *e = &b->entry[i];
        for (int32_t r = 0; r < n; r++)
            sorted[r] = e->ns[r] * 1000000 / e->against->ns[r];
        sac_timings_sort(sorted, n);
        e->ratio = (double)sac_timings_at(sorted, n, 0.5) * 1e-6;
        memcpy(sorted, e->ns, (size_t)n * sizeof *sorted);
        sac_timings_sort(sorted, n);
        e->min_ns = (double)sorted[0];
        e->p10_ns = (double)sac_timings_at(sorted, n, 0.1);
        e->median_ns = (double)sac_timings_at(sorted, n, 0.5);
        e->p90_ns = (double)sac_timings_at(sorted, n, 0.9);
        e->max_ns = (double)sorted[n - 1];
    }
}

/* Before the run that counts: the threads are awake, on cores of their own, and the caches hot. */
#define WARM_RUNS 4

static bool time_entry(bench *b, bench_entry *e)
{
    if (e->run == run_opencv)
        bench_opencv_threads(e->n_threads);
    bool ok = true;
    for (int i = 0; i < WARM_RUNS; i++)
        ok = e->run(b, e) && ok;
    const int64_t start_ns = bench_clock_ns(e->n_threads);
    ok = e->run(b, e) && ok;
    e->ns[b->n_rounds] = bench_clock_ns(e->n_threads) - start_ns;
    return ok;
}

double bench_opencv_ratio(const bench *b, const bench_entry *e)
{
    for (int32_t i = 0; i < b->n_entries; i++)
        if (b->entry[i].run == run_opencv && b->entry[i].n_threads == e->n_threads)
            return b->entry[i].median_ns / e->median_ns;
    return 0;
}

bool bench_time(bench *b, double seconds)
{
    const int64_t end_ns = sac_clock_ns() + (int64_t)(seconds * 1e9);
    bool ok = true;
    for (b->n_rounds = 0; ok && b->n_rounds < BENCH_MAX_ROUNDS &&
                          (b->n_rounds < MIN_ROUNDS || sac_clock_ns() < end_ns);
         b->n_rounds++)
        for (int32_t i = 0; i < b->n_entries; i++)
            ok = time_entry(b, &b->entry[i]) && ok;
    summarize(b);
    return ok;
}
