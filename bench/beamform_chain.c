/*
 * bench_beamform: the whole chain on a GPU, int16 RF of configuration A in page-locked memory to
 * 8-bit pictures there, against what the link and the kernels take by themselves.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "base/clock.h"
#include "beamform_bench.h"
#include "beamform_gpu.h"

#define BATCH 32
#define BATCHES 10 /* that the arrays hold, each with noise of its own */
#define RUNS 101
#define WARM_NS 2e8 /* until clocks are up */

typedef struct chain {
    bench_gpu *g;
    sac_array pinned_in, pinned_out, device_in, device_out; /* BATCHES x BATCH frames */
    sac_beamform *batch, *all;                              /* 32 frames a run, and 320 */
    sac_beamform *asynchronous;                             /* 32, on the bench's stream */
    size_t in_bytes, out_bytes;                             /* of a batch */
    int32_t turn;
} chain;

/* Frames of batch i. */
static sac_array batch_of(const sac_array *all, int32_t i)
{
    sac_array batch = *all;
    batch.data = (char *)all->data + (ptrdiff_t)i * BATCH * all->stride[0];
    batch.shape[0] = BATCH;
    return batch;
}

static void copy_up(const chain *c)
{
    bench_gpu_must(sac_gpu_copy(c->device_in.data, c->pinned_in.data, BATCHES * c->in_bytes,
                                sac_gpu_copy_stream(c->g->gpu)),
                   "copy");
}

static void copy_down(const chain *c)
{
    bench_gpu_must(sac_gpu_copy(c->pinned_out.data, c->device_out.data, BATCHES * c->out_bytes,
                                sac_gpu_back_stream(c->g->gpu)),
                   "copy");
}

static void copy_both_ways(const chain *c)
{
    copy_up(c);
    copy_down(c);
}

static void run_kernels(const chain *c)
{
    for (int32_t i = 0; i < BATCHES; i++) {
        const sac_array in = batch_of(&c->device_in, i), out = batch_of(&c->device_out, i);
        bench_gpu_must(sac_beamform_run(c->asynchronous, &out, &in, NULL), "run");
    }
}

static void run_batch(const chain *c)
{
    const sac_array in = batch_of(&c->pinned_in, c->turn), out = batch_of(&c->pinned_out, c->turn);
    bench_gpu_must(sac_beamform_run(c->batch, &out, &in, NULL), "run");
}

static void run_all(const chain *c)
{
    bench_gpu_must(sac_beamform_run(c->all, &c->pinned_out, &c->pinned_in, NULL), "run");
}

enum { UP, DOWN, BOTH, KERNELS, ONE, TEN, N_JOBS };

static const struct {
    const char *name;
    void (*call)(const chain *c);
    int32_t n_batches;
} jobs[N_JOBS] = {
    [UP] = {"RF copied to the GPU", copy_up, BATCHES},
    [DOWN] = {"pictures copied back", copy_down, BATCHES},
    [BOTH] = {"both at once", copy_both_ways, BATCHES},
    [KERNELS] = {"kernels, data on the GPU", run_kernels, BATCHES},
    [ONE] = {"end to end, 32 frames a run", run_batch, 1},
    [TEN] = {"end to end, 320 frames a run", run_all, BATCHES},
};

/* Until all is done, by the host's clock. */
static int64_t time_call(const chain *c, int32_t job)
{
    const sac_gpu_stream streams[] = {c->g->stream, sac_gpu_copy_stream(c->g->gpu),
                                      sac_gpu_back_stream(c->g->gpu)};
    const int64_t start = sac_clock_ns();
    jobs[job].call(c);
    for (int i = 0; i < 3 && job < ONE; i++) /* the plans wait for their own */
        bench_gpu_must(sac_gpu_wait(streams[i]), "wait");
    return sac_clock_ns() - start;
}

/* Of a batch. */
static void time_job(bench_row *row, chain *c, int32_t job)
{
    const int64_t began = sac_clock_ns();
    int64_t ns[RUNS];
    while ((double)(sac_clock_ns() - began) < WARM_NS)
        (void)time_call(c, job);
    for (int32_t i = 0; i < RUNS; i++) {
        c->turn = i % BATCHES;
        ns[i] = time_call(c, job) / jobs[job].n_batches;
    }
    bench_take_times(row, ns, RUNS);
    snprintf(row->what, sizeof row->what, "%s", jobs[job].name);
}

static sac_array array_of(const sac_array *like, void *memory, sac_device device)
{
    sac_array a = *like;
    a.data = memory;
    a.device = device;
    return a;
}

static void open_plan(sac_beamform **plan, const bench_work *w, sac_device device, int64_t n_frames,
                      void *stream)
{
    sac_error err = {0};
    sac_beamform_desc desc = w->desc;
    desc.acquisition = &w->acquisition;
    desc.dtype = SAC_I16;
    desc.demodulate = SAC_DEMODULATE_YES;
    desc.output = SAC_OUTPUT_GRAY;
    desc.n_frames = n_frames;
    desc.n_threads = 0;
    desc.device = device;
    desc.stream = stream;
    bench_must(sac_beamform_open(plan, &desc, &err), "open", &err);
}

static void open_chain(chain *c, bench_gpu *g, const bench_work *w)
{
    sac_error err = {0};
    const sac_device cpu = {SAC_DEVICE_CPU, 0}, gpu = {SAC_DEVICE_CUDA, g->info.index};
    const int64_t shape[] = {BATCHES * BATCH, w->c->n_tx, w->c->n_rx, w->c->n_samples};
    *c = (chain){.g = g};
    open_plan(&c->batch, w, gpu, BATCH, NULL);
    open_plan(&c->all, w, gpu, BATCHES * BATCH, NULL);
    open_plan(&c->asynchronous, w, gpu, BATCH, g->stream);
    sac_array in, out = sac_beamform_get_output_array(c->all);
    bench_must(sac_array_view(&in, NULL, SAC_I16, 4, shape, &err), "view", &err);
    c->in_bytes = (size_t)(BATCH * in.stride[0]);
    c->out_bytes = (size_t)(BATCH * out.stride[0]);
    c->pinned_in = array_of(&in, bench_gpu_pinned(g, BATCHES * c->in_bytes), cpu);
    c->pinned_out = array_of(&out, bench_gpu_pinned(g, BATCHES * c->out_bytes), cpu);
    c->device_in = array_of(&in, bench_gpu_memory(g, BATCHES * c->in_bytes), gpu);
    c->device_out = array_of(&out, bench_gpu_memory(g, BATCHES * c->out_bytes), gpu);
    bench_fill_noise(&c->pinned_in);
}

static void close_chain(chain *c)
{
    sac_beamform_close(&c->batch);
    sac_beamform_close(&c->all);
    sac_beamform_close(&c->asynchronous);
    sac_gpu_free_pinned(c->g->gpu, c->pinned_in.data);
    sac_gpu_free_pinned(c->g->gpu, c->pinned_out.data);
    sac_gpu_free(c->g->gpu, c->device_in.data);
    sac_gpu_free(c->g->gpu, c->device_out.data);
}

/* The largest difference from the CPU's pictures of the last batch, in gray levels. */
static int compare(const chain *c, const bench_work *w)
{
    sac_beamform *cpu;
    const sac_array in = batch_of(&c->pinned_in, BATCHES - 1);
    const sac_array got = batch_of(&c->pinned_out, BATCHES - 1);
    int largest = 0;
    open_plan(&cpu, w, (sac_device){SAC_DEVICE_CPU, 0}, BATCH, NULL);
    sac_array want = sac_beamform_get_output_array(cpu);
    want.data = cli_grow(NULL, 0, 1, c->out_bytes);
    bench_must(sac_beamform_run(cpu, &want, &in, NULL), "run", NULL);
    for (size_t i = 0; i < c->out_bytes; i++) {
        const int off = abs(((const uint8_t *)want.data)[i] - ((const uint8_t *)got.data)[i]);
        largest = off > largest ? off : largest;
    }
    free(want.data);
    sac_beamform_close(&cpu);
    return largest;
}

static void put_row(cli_json *json, const bench_row *row, double bytes, double bound_ns)
{
    cli_json_object(json, NULL);
    cli_json_string(json, "pipeline", "beamform");
    cli_json_string(json, "task", "A, int16 RF to 8-bit B-mode, a batch of 32 frames");
    cli_json_string(json, "what", row->what);
    cli_json_string(json, "rung", row->rung);
    cli_json_string(json, "device", row->device);
    cli_json_times(json, row->median_ns, row->p10_ns, row->p90_ns);
    cli_json_int(json, "runs", row->n_runs);
    if (bytes > 0)
        cli_json_real(json, "bytes", bytes);
    if (bound_ns > 0) {
        cli_json_real(json, "bound_ns", bound_ns);
        cli_json_real(json, "ratio", row->median_ns / bound_ns);
    }
    cli_json_end_object(json);
}

static void report(bench *b, const chain *c, const bench_row *rows)
{
    static const char *const heads[] = {"<A, a batch of 32 frames", "median", "p10-p90", "GB/s",
                                        "over the larger"};
    const double bytes[N_JOBS] = {[UP] = (double)c->in_bytes,
                                  [DOWN] = (double)c->out_bytes,
                                  [BOTH] = (double)(c->in_bytes + c->out_bytes)};
    const double link = rows[BOTH].median_ns, kernels = rows[KERNELS].median_ns;
    const double larger = link > kernels ? link : kernels;
    cli_table table;
    cli_table_open(&table, heads, sizeof heads / sizeof heads[0]);
    for (int i = 0; i < N_JOBS; i++) {
        const double bound = i < ONE ? 0 : larger;
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%s", rows[i].what);
        cli_table_time(&table, 1, rows[i].median_ns);
        cli_table_spread(&table, 2, rows[i].p10_ns, rows[i].p90_ns);
        if (bytes[i] > 0)
            cli_table_cell(&table, 3, "%.3g", bytes[i] / rows[i].median_ns);
        if (bound > 0)
            cli_table_cell(&table, 4, "%.2f", rows[i].median_ns / bound);
        put_row(&b->json, &rows[i], bytes[i], bound);
    }
    cli_table_print(&table, b->text);
}

void bench_end_to_end(bench *b, bench_gpu *g)
{
    bench_work w;
    chain c;
    bench_row rows[N_JOBS] = {0};
    bench_open_geometry(&w, &bench_cases[0]);
    open_chain(&c, g, &w);
    for (int32_t i = 0; i < N_JOBS; i++) {
        snprintf(rows[i].device, sizeof rows[i].device, "cuda:%d", g->info.index);
        if (i >= KERNELS)
            snprintf(rows[i].rung, sizeof rows[i].rung, "%s", sac_beamform_get_variant(c.all));
        time_job(&rows[i], &c, i);
    }
    const int off = compare(&c, &w);
    report(b, &c, rows);
    fprintf(b->text, "%s; pictures are the CPU's, but for %d of 255 levels at most\n",
            sac_beamform_get_variant(c.all), off);
    close_chain(&c);
    bench_close_work(&w);
}
