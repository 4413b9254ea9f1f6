/*
 * bench_batch: frames shared among GPUs by sac_batch, from page-locked memory to page-locked
 * memory, beside what bounds that: the kernels, the copies, the CPU's memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/batch.h>
#include <saccade/beamform.h>
#include <saccade/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "beamform_bench.h"
#include "gpu/gpu.h"

static const char help[] =
    "bench_batch: beamforms frames of a configuration of bench_beamform, from page-locked memory\n"
    "and back: on each GPU of a set alone, on its first 2, 4, 8, ... and on all of it.\n"
    "\n"
    "Usage: bench_batch [OPTION]...\n"
    "\n"
    "  --device SET   the GPUs (default cuda:all)\n"
    "  --task NAME    the configuration (default C, whose frames have 157 MB)\n"
    "  --frames N     to beamform in each run (default 512)\n"
    "  --kept N       of them in memory, gone through again and again (default 64)\n"
    "  --part N       frames of a part (default 4)\n"
    "  --rounds N     each entry takes its turn N times (default 5)\n"
    "  --json FILE    write every row as JSON, too\n"
    "  -h, --help     this text\n"
    "\n"
    "What bounds it: `kernels` beamforms samples that are on the GPU; `copies` moves samples to\n"
    "the GPUs, each to its own, all at once, and nothing else; `both ways` also moves them back "
    "at\n"
    "the same time; `reads` is how fast all cores of the CPU read them from its memory.\n"
    "Exit status: 0 done; 1 failed; 2 wrong usage.\n";

typedef struct batch_options {
    size_t struct_size;
    const char *task, *json;
    sac_device device;
    int32_t frames, kept, part, rounds;
} batch_options;

#undef FIELD
#define FIELD(name) offsetof(batch_options, name)

static const sac_param params[] = {
    {"device", CLI_DEVICE(device), "SET", ""},
    {"task", CLI_STRING(task), "NAME", ""},
    {"frames", CLI_INT(frames, 1, 1 << 20, 512, ""), "N", ""},
    {"kept", CLI_INT(kept, 1, 1 << 16, 64, ""), "N", ""},
    {"part", CLI_INT(part, 1, 512, 4, ""), "N", ""},
    {"rounds", CLI_INT(rounds, 1, 100, 5, ""), "N", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

typedef struct shared {
    const batch_options *o;
    bench_case task; /* a part of it */
    bench_work work;
    char *samples; /* page-locked, kept frames */
    size_t frame_bytes;
    sac_pool *pool; /* of all cores */
    int32_t n_slices;
    uint64_t *sums; /* (n_slices), so that the reads are of use */
} shared;

/* What one worker has: a plan and an image, or samples on its GPU, or both. */
typedef struct worker {
    sac_device device;
    sac_beamform *plan;
    sac_array image;
    sac_gpu *gpu;
    void *there[2];      /* there[1]: the part before, on its way back */
    sac_batch_part last; /* n is 0: there is none */
} worker;

/* Something that GPUs do to parts. */
typedef struct bench_job {
    const char *what;
    sac_status (*work)(void *ctx, void *worker, const sac_batch_part *part, sac_error *err);
    bool has_plan;
    int n_there; /* buffers on the GPU */
} bench_job;

typedef struct entry {
    shared *shared;
    const bench_job *job; /* NULL: the CPU's reads */
    char devices[64];
    sac_batch *batch;
    double *ns; /* (rounds) */
} entry;

static sac_status open_plan(worker *w, const shared *b, sac_error *err)
{
    sac_beamform_desc desc = b->work.desc;
    desc.device = w->device;
    sac_status st = sac_beamform_open(&w->plan, &desc, err);
    if (st != SAC_OK)
        return st;
    w->image = sac_beamform_get_output_array(w->plan);
    return sac_pinned_alloc(&w->image.data,
                            (size_t)sac_array_count(&w->image) * sac_dtype_size(w->image.dtype),
                            w->device, err);
}

static size_t part_bytes(const shared *b)
{
    return b->frame_bytes * (size_t)b->o->part;
}

static sac_status open_worker(void *ctx, void **state, sac_device device, sac_error *err)
{
    const entry *e = ctx;
    worker *w = cli_grow(NULL, 0, 1, sizeof *w);
    *w = (worker){.device = device};
    *state = w;
    sac_status st = e->job->has_plan ? open_plan(w, e->shared, err) : SAC_OK;
    if (st == SAC_OK && e->job->n_there)
        st = sac_gpu_open(&w->gpu, device.index, err);
    for (int i = 0; i < e->job->n_there && st == SAC_OK; i++)
        st = sac_gpu_alloc(w->gpu, &w->there[i], part_bytes(e->shared), err);
    return st;
}

static void close_worker(void *ctx, void *state)
{
    worker *w = state;
    (void)ctx;
    sac_beamform_close(&w->plan);
    sac_pinned_free(w->image.data, w->device);
    sac_gpu_free(w->gpu, w->there[0]);
    sac_gpu_free(w->gpu, w->there[1]);
    sac_gpu_close(&w->gpu);
    free(w);
}

/* The samples of a part lie one after the other: parts divide what is kept. */
static void *samples_of(const shared *b, const sac_batch_part *part)
{
    return b->samples + (size_t)(part->first % b->o->kept) * b->frame_bytes;
}

static sac_status run_plan(worker *w, const shared *b, void *samples, sac_device where,
                           sac_error *err)
{
    sac_array in;
    const bench_case *c = &b->task;
    const int64_t shape[] = {c->n_frames, c->n_tx, c->n_rx, c->n_samples};
    const sac_status st = sac_array_view(&in, samples, c->dtype, 4, shape, err);
    in.device = where;
    return st ? st : sac_beamform_run(w->plan, &w->image, &in, err);
}

static sac_status beamform(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    const shared *b = ((const entry *)ctx)->shared;
    return run_plan(state, b, samples_of(b, part), (sac_device){SAC_DEVICE_CPU, 0}, err);
}

static sac_status kernels(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    worker *w = state;
    (void)part;
    return run_plan(w, ((const entry *)ctx)->shared, w->there[0], w->device, err);
}

/* Up and, where there are two buffers, the part before back to where it came from. */
static sac_status copy(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    const shared *b = ((const entry *)ctx)->shared;
    worker *w = state;
    sac_status st = sac_gpu_enter(w->gpu);
    if (st != SAC_OK)
        return st;
    const sac_gpu_stream up = sac_gpu_main_stream(w->gpu), back = sac_gpu_back_stream(w->gpu);
    st = sac_gpu_copy(w->there[0], samples_of(b, part), part_bytes(b), up);
    if (st == SAC_OK && w->there[1] && w->last.n)
        st = sac_gpu_copy(samples_of(b, &w->last), w->there[1], part_bytes(b), back);
    st = st ? st : sac_gpu_wait(up);
    st = st ? st : sac_gpu_wait(back);
    sac_gpu_leave(w->gpu);
    if (w->there[1]) {
        void *const came = w->there[0];
        w->there[0] = w->there[1];
        w->there[1] = came;
        w->last = *part;
    }
    return sac_gpu_fail(st, err);
}

static const bench_job jobs[] = {
    {"beamform", beamform, .has_plan = true},
    {"copies", copy, .n_there = 1},
    {"both ways", copy, .n_there = 2},
    {"kernels", kernels, .has_plan = true, .n_there = 1},
};

/* A task of the CPU's reads: one slice of all cores'. */
static void read_slice(void *arg, int32_t i)
{
    shared *b = arg;
    const size_t n = b->frame_bytes * (size_t)b->o->kept / sizeof(uint64_t);
    const size_t first = n / (size_t)b->n_slices * (size_t)i;
    const uint64_t *values = (const void *)b->samples;
    uint64_t sum = 0;
    for (size_t k = first; k < first + n / (size_t)b->n_slices; k++)
        sum += values[k];
    b->sums[i] = sum;
}

/* As often as it takes for all frames. */
static void read_frames(shared *b)
{
    for (int32_t n = 0; n < b->o->frames; n += b->o->kept)
        sac_pool_run(b->pool, b->n_slices, read_slice, b);
}

/* The configuration by its name, with the frames of a part. False: there is none. */
static bool take_task(shared *b)
{
    const char *name = b->o->task ? b->o->task : "C";
    for (int32_t i = 0; i < bench_n_cases; i++)
        if (strcmp(bench_cases[i].name, name) == 0) {
            b->task = bench_cases[i];
            b->task.n_frames = b->o->part;
            return true;
        }
    return false;
}

static void fill(shared *b)
{
    sac_error err = {0};
    const bench_case *c = &b->task;
    bench_open_geometry(&b->work, c);
    b->frame_bytes =
        (size_t)c->n_tx * (size_t)c->n_rx * (size_t)c->n_samples * sac_dtype_size(c->dtype);
    void *memory;
    bench_must(sac_pinned_alloc(&memory, b->frame_bytes * (size_t)b->o->kept,
                                (sac_device){SAC_DEVICE_CUDA, 0}, &err),
               "page-locked memory", &err);
    b->samples = memory;
    sac_array all;
    const int64_t shape[] = {b->o->kept, c->n_tx, c->n_rx, c->n_samples};
    bench_must(sac_array_view(&all, memory, c->dtype, 4, shape, &err), "samples", &err);
    bench_fill_noise(&all);
}

static void open_entry(entry *e, shared *b, const bench_job *job, sac_device device)
{
    sac_batch_desc d;
    sac_error err = {0};
    *e = (entry){.shared = b, .job = job};
    e->ns = cli_grow(NULL, 0, (size_t)b->o->rounds, sizeof *e->ns);
    sac_device_text(device, e->devices, sizeof e->devices);
    if (!job)
        return;
    sac_batch_desc_init(&d);
    d.device = device, d.n_items = b->o->frames, d.n_part_items = b->o->part, d.ctx = e;
    d.open = open_worker, d.work = job->work, d.close = close_worker;
    bench_must(sac_batch_open(&e->batch, &d, &err), e->devices, &err);
}

/* Each of n GPUs alone, the first 2, 4, ... of them, and all. */
static int open_entries(entry *entries, shared *b, const bench_job *job, const sac_device *each,
                        int32_t n)
{
    int n_entries = 0;
    for (int32_t i = 0; i < n; i++)
        open_entry(&entries[n_entries++], b, job, each[i]);
    sac_device set = {SAC_DEVICE_CUDA_SET, 0};
    for (int32_t i = 0; i < n; i++) {
        set.index |= (int32_t)(1U << each[i].index);
        if (i > 0 && (i == n - 1 || (i & (i + 1)) == 0))
            open_entry(&entries[n_entries++], b, job, set);
    }
    return n_entries;
}

static double frames_run(const entry *e)
{
    const int32_t kept = e->shared->o->kept, frames = e->shared->o->frames;
    return e->job ? frames : (frames + kept - 1) / kept * kept;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const shared *b, entry *entries, int n)
{
    cli_json json;
    cli_json_open_rows(&json, 0, b->o->device);
    FILE *text = bench_text(b->o->json);
    fprintf(text, "%-9s %-16s %10s %12s %9s\n", "", "device", "median", "frames/s", "GB/s in");
    for (int i = 0; i < n; i++) {
        const entry *e = &entries[i];
        const char *what = e->job ? e->job->what : "reads";
        char time[16];
        qsort(e->ns, (size_t)b->o->rounds, sizeof(double), compare);
        const double ns = e->ns[b->o->rounds / 2], rate = 1e9 * frames_run(e) / ns;
        fprintf(text, "%-9s %-16s %10s %12.1f %9.1f\n", what, e->devices,
                cli_time_text(time, sizeof time, ns), rate, 1e-9 * (double)b->frame_bytes * rate);
        cli_json_object(&json, NULL);
        cli_json_string(&json, "what", what);
        cli_json_string(&json, "device", e->devices);
        cli_json_int(&json, "median_ns", (int64_t)ns);
        cli_json_real(&json, "frames_s", rate);
        cli_json_real(&json, "gb_s", 1e-9 * (double)b->frame_bytes * rate);
        cli_json_end_object(&json);
    }
    if (b->o->json && cli_json_write(&json, b->o->json) != CLI_DONE)
        exit(CLI_FAILED);
}

static void measure(entry *e, int round)
{
    sac_error err = {0};
    const int64_t start_ns = cli_clock_ns();
    if (e->job)
        bench_must(sac_batch_run(e->batch, &err), e->job->what, &err);
    else
        read_frames(e->shared);
    if (round >= 0)
        e->ns[round] = (double)(cli_clock_ns() - start_ns);
}

static void close_all(shared *b, entry *entries, int n)
{
    for (int i = 0; i < n; i++) {
        sac_batch_close(&entries[i].batch);
        free(entries[i].ns);
    }
    sac_pool_close(&b->pool);
    free(b->sums);
    bench_close_work(&b->work);
    sac_pinned_free(b->samples, (sac_device){SAC_DEVICE_CUDA, 0});
}

static int run(const void *options)
{
    shared b = {.o = options};
    sac_device each[SAC_MAX_DEVICES];
    entry entries[3 * (SAC_MAX_DEVICES + 5) + 2]; /* a set of 31 has 5 within it */
    int32_t n;
    sac_error err = {0};
    const sac_device set =
        b.o->device.kind == SAC_DEVICE_CPU ? (sac_device){SAC_DEVICE_CUDA_SET, -1} : b.o->device;
    if (b.o->kept % b.o->part || b.o->frames % b.o->part)
        return bench_misuse("--part must divide --kept and --frames", "");
    if (!take_task(&b))
        return bench_misuse("--task takes A, B, B-compounded, C or V, and was given ", b.o->task);
    bench_must(sac_device_list(each, &n, set, &err), "--device", &err);
    fill(&b);
    bench_must(sac_pool_open(&b.pool, 0, NULL, &err), "threads", &err);
    b.n_slices = sac_pool_threads(b.pool);
    b.sums = cli_grow(NULL, 0, (size_t)b.n_slices, sizeof *b.sums);

    int n_entries = open_entries(entries, &b, &jobs[0], each, n);
    n_entries += open_entries(entries + n_entries, &b, &jobs[1], each, n);
    n_entries += open_entries(entries + n_entries, &b, &jobs[2], each, n);
    open_entry(&entries[n_entries++], &b, &jobs[3], each[0]);
    open_entry(&entries[n_entries++], &b, NULL, (sac_device){SAC_DEVICE_CPU, 0});
    for (int round = -1; round < b.o->rounds; round++) /* the first warms up */
        for (int i = 0; i < n_entries; i++)
            measure(&entries[i], round);
    report(&b, entries, n_entries);
    close_all(&b, entries, n_entries);
    return CLI_DONE;
}

const bench_command bench_this = {help, CLI_TABLE("bench_batch", batch_options, params), run};
