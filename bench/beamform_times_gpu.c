/*
 * bench_beamform: runs of a plan on a GPU by events, arrays lying there, several in turn, so that
 * the L2 cache holds a part of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "beamform_gpu.h"
#include "beamform_rows.h"
#include "beamform/gpu_plan.h"

#define MAX_COPIES 64
#define L2_TIMES 4      /* what arrays take in turn, over the L2 cache */
#define MIN_LAUNCHES 21 /* timed, */
#define LONG_RUN 2e7    /* but of runs of so many ns */
#define FEW_LAUNCHES 7  /* these do */
#define WARM_NS 1e8     /* until clocks are up */

typedef struct runs {
    bench_gpu *g;
    sac_beamform *plan;
    sac_array in[MAX_COPIES], out[MAX_COPIES];
    int32_t n_copies;
    size_t in_bytes, out_bytes;
} runs;

double bench_gpu_copy_b_s(const bench_gpu *g)
{
    return g->copy_b_s;
}

sac_device bench_gpu_device(const bench_gpu *g)
{
    return (sac_device){SAC_DEVICE_CUDA, g->info.index};
}

static size_t bytes_of(const sac_array *a)
{
    return (size_t)sac_array_count(a) * sac_dtype_size(a->dtype);
}

static sac_status device_array(sac_array *a, const sac_array *like, bench_gpu *g, sac_error *err)
{
    *a = *like;
    a->data = NULL;
    a->device = bench_gpu_device(g);
    return sac_gpu_alloc(g->gpu, &a->data, bytes_of(like), err);
}

static sac_status open_arrays(runs *r, const bench_work *w, sac_error *err)
{
    const sac_array out = sac_beamform_get_output_array(r->plan);
    r->in_bytes = bytes_of(&w->in);
    r->out_bytes = bytes_of(&out);
    const uint64_t wanted = 2 + L2_TIMES * r->g->info.l2_bytes / (r->in_bytes + r->out_bytes);
    const int32_t n = wanted < MAX_COPIES ? (int32_t)wanted : MAX_COPIES;
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        status = device_array(&r->in[i], &w->in, r->g, err);
        if (status == SAC_OK)
            status = device_array(&r->out[i], &out, r->g, err);
        r->n_copies = i + 1;
        if (status == SAC_OK)
            status = sac_gpu_copy(r->in[i].data, w->in.data, r->in_bytes, r->g->stream);
    }
    return status;
}

static void close_runs(runs *r)
{
    for (int32_t i = 0; i < r->n_copies; i++) {
        sac_gpu_free(r->g->gpu, r->in[i].data);
        sac_gpu_free(r->g->gpu, r->out[i].data);
    }
    sac_beamform_close(&r->plan);
}

/* What the first run writes, which may leave nothing out. */
static sac_status first_run(float **images, const runs *r, sac_error *err)
{
    const sac_gpu_stream stream = r->g->stream;
    *images = cli_grow(NULL, 0, 1, r->out_bytes);
    sac_status status = sac_gpu_set(r->out[0].data, 0xff, r->out_bytes, stream);
    if (status == SAC_OK)
        status = sac_beamform_run(r->plan, &r->out[0], &r->in[0], err);
    if (status == SAC_OK)
        status = sac_gpu_copy(*images, r->out[0].data, r->out_bytes, stream);
    return status ? status : sac_gpu_wait(stream);
}

/* *ns: nanoseconds of a run, about. */
static sac_status warm_up(double *ns, const runs *r, sac_error *err)
{
    bench_gpu *g = r->g;
    const int64_t began = sac_clock_ns();
    do {
        sac_status status = sac_gpu_event_record(g->event[0], g->stream);
        for (int32_t i = 0; i < r->n_copies && status == SAC_OK; i++)
            status = sac_beamform_run(r->plan, &r->out[i], &r->in[i], err);
        if (status == SAC_OK)
            status = sac_gpu_event_record(g->event[1], g->stream);
        if (status == SAC_OK)
            status = sac_gpu_event_elapsed(ns, g->event[0], g->event[1]);
        if (status)
            return status;
    } while ((double)(sac_clock_ns() - began) < WARM_NS);
    *ns /= r->n_copies;
    return SAC_OK;
}

/* An event between each two runs: the device waits for the host only where that is slower. */
static sac_status time_runs(bench_row *row, const runs *r, double seconds, sac_error *err)
{
    bench_gpu *g = r->g;
    int64_t ns[BENCH_MAX_RUNS];
    double about;
    sac_status status = warm_up(&about, r, err);
    if (status)
        return status;
    const double wanted = seconds * 1e9 / about;
    const int32_t least = about > LONG_RUN ? FEW_LAUNCHES : MIN_LAUNCHES;
    const int32_t n = wanted < least            ? least
                      : wanted > BENCH_MAX_RUNS ? BENCH_MAX_RUNS
                                                : (int32_t)wanted;
    status = sac_gpu_event_record(g->event[0], g->stream);
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        const int32_t turn = i % r->n_copies;
        status = sac_beamform_run(r->plan, &r->out[turn], &r->in[turn], err);
        if (status == SAC_OK)
            status = sac_gpu_event_record(g->event[i + 1], g->stream);
    }
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        double all = 0;
        status = sac_gpu_event_elapsed(&all, g->event[i], g->event[i + 1]);
        ns[i] = (int64_t)all;
    }
    if (status == SAC_OK)
        bench_take_times(row, ns, n);
    return status;
}

sac_status bench_time_plan_on_gpu(bench_row *row, float **images, bench_gpu *g, bench_work *w,
                                  double seconds, sac_error *err)
{
    runs *r = cli_grow(NULL, 0, 1, sizeof *r);
    sac_beamform_desc desc = w->desc;
    r->g = g;
    desc.device = bench_gpu_device(g);
    desc.stream = g->stream;
    sac_status status = bench_time_open(&r->plan, &row->open_ns, &desc, err);
    if (status == SAC_OK) {
        if (!w->all)
            sac_beamform_get_points(r->plan, &w->all, &w->active);
        snprintf(row->device, sizeof row->device, "cuda:%d", g->info.index);
        snprintf(row->what, sizeof row->what, "run");
        row->predicted_ns = r->plan->gpu->predicted_ns;
        snprintf(row->rung, sizeof row->rung, "%s", sac_beamform_get_variant(r->plan));
        status = open_arrays(r, w, err);
    }
    if (status == SAC_OK)
        status = first_run(images, r, err);
    if (status == SAC_OK)
        status = time_runs(row, r, seconds, err);
    if (status && !err->text[0])
        (void)sac_gpu_fail(status, err);
    close_runs(r);
    free(r);
    return status;
}
