/*
 * bench_beamform: whole runs of plans on a GPU as callers have them, each tier, with arrays on the
 * device, in page-locked and in pageable memory; every picture against the reference.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "beamform_bench.h"
#include "beamform_gpu.h"

#define TIME_SHARE 0.25 /* of --seconds, for each row: there are nine */

typedef enum place { DEVICE, PINNED, HOST, N_PLACES } place;
static const char *const places[N_PLACES] = {"on the GPU", "page-locked", "pageable"};

typedef struct plan_job {
    bench_gpu *g;
    sac_beamform *plan;
    sac_array in, out;
    size_t in_bytes, out_bytes;
    float *images; /* in the CPU's memory */
} plan_job;

static size_t bytes_of(const sac_array *a)
{
    return (size_t)(a->shape[0] * a->stride[0]); /* contiguous */
}

static void copy(const plan_job *j, void *to, const void *from, size_t bytes)
{
    bench_gpu_must(sac_gpu_copy(to, from, bytes, j->g->stream), "copy");
    bench_gpu_must(sac_gpu_wait(j->g->stream), "copy");
}

/* Memory for both arrays, filled: the input with the data, the output with what is no number. */
static void open_arrays(plan_job *j, const bench_work *w, place at)
{
    j->in = w->in;
    j->out = sac_beamform_get_output_array(j->plan);
    j->in_bytes = bytes_of(&j->in);
    j->out_bytes = bytes_of(&j->out);
    j->images = cli_grow(NULL, 0, 1, j->out_bytes);
    memset(j->images, 0xff, j->out_bytes);
    if (at == HOST) {
        j->out.data = j->images;
        return;
    }
    j->in.data =
        at == DEVICE ? bench_gpu_memory(j->g, j->in_bytes) : bench_gpu_pinned(j->g, j->in_bytes);
    j->out.data =
        at == DEVICE ? bench_gpu_memory(j->g, j->out_bytes) : bench_gpu_pinned(j->g, j->out_bytes);
    if (at == DEVICE)
        j->in.device = j->out.device = (sac_device){SAC_DEVICE_CUDA, sac_gpu_index(j->g->gpu)};
    copy(j, j->in.data, w->in.data, j->in_bytes);
    copy(j, j->out.data, j->images, j->out_bytes);
}

static void close_arrays(plan_job *j, place at)
{
    void *memory[] = {j->in.data, j->out.data};
    for (int i = 0; i < 2 && at != HOST; i++) {
        if (at == DEVICE)
            sac_gpu_free(j->g->gpu, memory[i]);
        else
            sac_gpu_free_pinned(j->g->gpu, memory[i]);
    }
    free(j->images);
}

static void run_once(const void *job)
{
    const plan_job *j = job;
    sac_error err = {0};
    bench_must(sac_beamform_run(j->plan, &j->out, &j->in, &err), "run", &err);
}

/* The first run is compared, so that nothing later hides what it left out. */
static void time_runs(bench_row *row, const plan_job *j, place at, double seconds)
{
    run_once(j);
    if (at != HOST)
        copy(j, j->images, j->out.data, j->out_bytes);
    row->error = bench_error(row->work, j->images);
    bench_time_calls(row, run_once, j, seconds);
}

void bench_plans_on_gpu(bench *b, bench_gpu *g, const bench_work *w)
{
    static const char *const tiers[] = {"exact", "fp32", "fast"};
    for (int tier = SAC_TIER_EXACT; tier <= SAC_TIER_FAST; tier++)
        for (int at = DEVICE; at < N_PLACES; at++) {
            sac_error err = {0};
            plan_job j = {.g = g};
            sac_beamform_desc desc = w->desc;
            bench_row row = {.work = w, .is_das = true};
            desc.tier = tier;
            desc.device = (sac_device){SAC_DEVICE_CUDA, sac_gpu_index(g->gpu)};
            bench_must(sac_beamform_open(&j.plan, &desc, &err), w->c->name, &err);
            open_arrays(&j, w, (place)at);
            snprintf(row.device, sizeof row.device, "cuda:%d", sac_gpu_index(g->gpu));
            snprintf(row.what, sizeof row.what, "run, %s, %s", tiers[tier], places[at]);
            snprintf(row.rung, sizeof row.rung, "%s", sac_beamform_get_variant(j.plan));
            time_runs(&row, &j, (place)at, TIME_SHARE * b->options->seconds);
            bench_judge(b, &row, (sac_tier)tier);
            bench_report(b, &row);
            sac_beamform_close(&j.plan);
            close_arrays(&j, (place)at);
        }
}
