/*
 * bench_beamform: runs of a plan timed on the CPU or on a GPU, next to A, B and C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "beamform_rows.h"

#define OPENS 3       /* of which the median counts, */
#define LONG_OPEN 3e8 /* unless one takes so many ns */
#define LONG_RUN 2e9  /* ns: the first of such runs is the only one */

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

sac_status bench_time_open(sac_beamform **plan, double *ns, const sac_beamform_desc *desc,
                           sac_error *err)
{
    double times[OPENS];
    int n = 0;
    do {
        sac_beamform_close(plan);
        const int64_t start = sac_clock_ns();
        const sac_status status = sac_beamform_open(plan, desc, err);
        if (status)
            return status;
        times[n++] = (double)(sac_clock_ns() - start);
    } while (n < OPENS && times[n - 1] < LONG_OPEN);
    qsort(times, (size_t)n, sizeof *times, compare_doubles);
    *ns = times[n / 2];
    return SAC_OK;
}

typedef struct cpu_runs {
    sac_beamform *plan;
    sac_array in, out;
    int32_t n_threads;
    double seconds;
} cpu_runs;

static sac_status run_once(int64_t *ns, const cpu_runs *r, sac_error *err)
{
    const int64_t start = bench_clock_ns(r->n_threads);
    const sac_status status = sac_beamform_run(r->plan, &r->out, &r->in, err);
    *ns = bench_clock_ns(r->n_threads) - start;
    return status;
}

/* Times of runs, the first of which took first_ns: where that is long, it is the only one. */
static sac_status time_runs(bench_row *row, const cpu_runs *r, int64_t first_ns, sac_error *err)
{
    int64_t ns[BENCH_MAX_RUNS] = {first_ns};
    const int64_t began = sac_clock_ns();
    const bool is_long = (double)first_ns > LONG_RUN;
    int32_t n = is_long ? 1 : 0;
    while (!is_long && n < BENCH_MAX_RUNS &&
           (n < BENCH_MIN_RUNS || (double)(sac_clock_ns() - began) < r->seconds * 1e9)) {
        const sac_status status = run_once(&ns[n++], r, err);
        if (status)
            return status;
    }
    bench_take_times(row, ns, n);
    return SAC_OK;
}

/* The plan's first run into memory of its own, the timed ones into other memory. */
static sac_status run_on_cpu(bench_row *row, float **images, cpu_runs *r, sac_error *err)
{
    int64_t first_ns;
    r->out = sac_beamform_get_output_array(r->plan);
    const size_t n = (size_t)sac_array_count(&r->out), size = sac_dtype_size(r->out.dtype);
    r->out.data = *images = cli_grow(NULL, 0, n, size);
    memset(r->out.data, 0xff, n * size);
    sac_status status = run_once(&first_ns, r, err);
    r->out.data = cli_grow(NULL, 0, n, size);
    if (status == SAC_OK)
        status = time_runs(row, r, first_ns, err);
    free(r->out.data);
    return status;
}

static sac_status time_on_cpu(bench_row *row, float **images, const bench_place *place,
                              bench_work *w, double seconds, sac_error *err)
{
    cpu_runs r = {.in = w->in, .n_threads = place->n_threads, .seconds = seconds};
    sac_beamform_desc desc = w->desc;
    desc.n_threads = r.n_threads;
    sac_status status = bench_time_open(&r.plan, &row->open_ns, &desc, err);
    if (status)
        return status;
    if (!w->all)
        sac_beamform_get_points(r.plan, &w->all, &w->active);
    row->n_threads = r.n_threads;
    snprintf(row->device, sizeof row->device, "cpu");
    snprintf(row->what, sizeof row->what, "run, %d thread%s", r.n_threads, cli_s(r.n_threads));
    snprintf(row->rung, sizeof row->rung, "%s", sac_beamform_get_variant(r.plan));
    status = run_on_cpu(row, images, &r, err);
    sac_beamform_close(&r.plan);
    return status;
}

/* Of the arrays of a run. */
static double bytes_of(const bench_work *w)
{
    const int64_t images = (int64_t)w->c->n_frames * (w->c->lri ? w->c->n_tx : 1);
    const double out = (double)(images * bench_count_points(w->c)) * w->n_parts * sizeof(float);
    return out + (double)sac_array_count(&w->in) * (double)sac_dtype_size(w->in.dtype);
}

sac_status bench_time_plan(bench_row *row, float **images, const bench *b, const bench_place *place,
                           bench_work *w, double seconds, sac_error *err)
{
    *images = NULL;
    *row = (bench_row){.work = w, .is_das = true, .error = -1};
    const sac_status status = place->gpu
                                  ? bench_time_plan_on_gpu(row, images, place->gpu, w, seconds, err)
                                  : time_on_cpu(row, images, place, w, seconds, err);
    const double copy_b_s = place->gpu ? bench_gpu_copy_b_s(place->gpu) : b->copy_b_s;
    if (copy_b_s > 0)
        row->memory_ns = 1e9 * bytes_of(w) / copy_b_s;
    return status;
}

static bench_kind kind_of(const bench_case *c)
{
    return c->dtype != SAC_C64 ? BENCH_KIND_B : c->n_frames >= 8 ? BENCH_KIND_A : BENCH_KIND_C;
}

/* Active points a second of A, B or C there, measured when it is first asked for. */
static double rate_of(bench *b, bench_place *place, bench_kind kind, sac_tier tier)
{
    static const char *const names[] = {"A", "B", "C"};
    double *rate = &place->rate[kind][tier == SAC_TIER_EXACT ? 0 : 1];
    if (*rate > 0)
        return *rate;
    int32_t at = 0;
    while (strcmp(bench_cases[at].name, names[kind]) != 0)
        at++;
    bench_case c = bench_cases[at];
    bench_work w;
    bench_row row;
    sac_error err = {0};
    float *images;
    c.tier = tier == SAC_TIER_EXACT ? SAC_TIER_EXACT : SAC_TIER_FP32;
    if (b->options->small)
        bench_make_small(&c);
    bench_open_geometry(&w, &c);
    bench_open_data(&w);
    bench_must(bench_time_plan(&row, &images, b, place, &w, b->options->seconds, &err), c.name,
               &err);
    *rate = (double)w.active / row.median_ns * 1e9;
    free(images);
    bench_close_work(&w);
    return *rate;
}

bool bench_measure(bench_row *row, char *fault, bench *b, bench_place *place, bench_work *w,
                   double seconds)
{
    static const char names[] = "ABC";
    const bench_kind kind = kind_of(w->c);
    const double rate = rate_of(b, place, kind, w->c->tier);
    const double bound = bench_bound(w, place->gpu != NULL);
    sac_error err = {0};
    float *images;
    *fault = '\0';
    sac_status status = bench_time_plan(row, &images, b, place, w, seconds, &err);
    if (status == SAC_OK) {
        row->kind = names[kind];
        row->share = (double)w->active / row->median_ns * 1e9 / rate;
    }
    if (status == SAC_OK && bench_is_sound(w, images, fault, BENCH_FAULT_SIZE) && b->options->check)
        status = bench_compare(&row->error, w, images, &err);
    if (status)
        snprintf(fault, BENCH_FAULT_SIZE, "%s", err.text);
    else if (!*fault && !(row->error <= bound)) /* not a number, too */
        snprintf(fault, BENCH_FAULT_SIZE, "error %.3g, expected at most %.3g", row->error, bound);
    free(images);
    return !*fault;
}
