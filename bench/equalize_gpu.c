/*
 * bench_equalize_gpu: the equalize plan on a GPU, frame after frame: from device memory by stream
 * and graph, and from the CPU's memory and back, against what copies alone take.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/equalize.h>

#include "gpu_times.h"
#include "json.h"
#include "options.h"
#include "tables.h"
#include "room/check.h"

#define N 64      /* different frames: at 1080p 400 MB, several times the L2 */
#define ALIGN 256 /* bytes: where each frame begins */

static const char help[] =
    "bench_equalize_gpu: times the equalize plan on a GPU, frame after frame, against copies.\n"
    "\n"
    "Usage: bench_equalize_gpu [OPTION]...\n"
    "\n"
    "  --size WxH   of a frame (default 1920x1080)\n"
    "  --json FILE  write every row as JSON, too\n"
    "  -h, --help   this text\n"
    "\n"
    "Exit status: 0 done; 1 failed, or a frame differs from the CPU's; 2 wrong usage.\n";

typedef struct bench_options {
    size_t struct_size;
    int32_t size[2];
    const char *json;
} bench_options;

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"size", CLI_INT2(size, 1, 16384, 0, "pixels"), "WxH", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

typedef struct bench {
    int64_t w, h;
    size_t bytes, step; /* of a frame; from frame to frame */
    bench_gpu gpu;
    bench_gpu_copies copies;
    sac_equalize *own, *asynchronous; /* on a stream of its own, and on ours */
    sac_equalize *clahe;              /* on ours */
    sac_array in[N], out[N];          /* of the device, */
    sac_array pinned_in[N], pinned_out[N], paged_in[N], paged_out[N];
} bench;

static sac_array frame(bench *b, void *memory, sac_device device)
{
    sac_array a;
    bench_must(sac_array_view(&a, memory, SAC_U8, 3, (const int64_t[]){b->h, b->w, 3}, NULL),
               "view", NULL);
    a.device = device;
    return a;
}

static void open_frames(bench *b, sac_device device)
{
    const sac_device cpu = {SAC_DEVICE_CPU, 0};
    const size_t all = N * b->step;
    char *paged_in = cli_grow(NULL, 0, 1, all), *paged_out = cli_grow(NULL, 0, 1, all);
    uint64_t random = 1;
    b->copies = (bench_gpu_copies){
        .gpu = &b->gpu,
        .there = bench_gpu_memory(&b->gpu, all),
        .here = bench_gpu_pinned(&b->gpu, all),
        .out_there = bench_gpu_memory(&b->gpu, all),
        .out_here = bench_gpu_pinned(&b->gpu, all),
        .bytes = b->step,
        .n = N,
    };
    for (size_t i = 0; i < N; i++) {
        const size_t at = i * b->step;
        b->in[i] = frame(b, b->copies.there + at, device);
        b->out[i] = frame(b, b->copies.out_there + at, device);
        b->pinned_in[i] = frame(b, b->copies.here + at, cpu);
        b->pinned_out[i] = frame(b, b->copies.out_here + at, cpu);
        b->paged_in[i] = frame(b, paged_in + at, cpu);
        b->paged_out[i] = frame(b, paged_out + at, cpu);
        /* A dark gradient with noise: many values, none alone. */
        for (size_t p = 0; p < b->bytes; p++)
            paged_in[at + p] = (char)(p * 90 / b->bytes + (sac_check_random(&random) >> 58));
    }
    memcpy(b->copies.here, paged_in, all);
    bench_gpu_copy_in(&b->copies);
    bench_must(sac_gpu_wait(b->gpu.stream), "wait", NULL);
}

static void open_plans(bench *b, sac_device device)
{
    sac_error err = {0};
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = b->w;
    desc.h = b->h;
    desc.device = device;
    bench_must(sac_equalize_open(&b->own, &desc, &err), "open", &err);
    desc.stream = b->gpu.stream;
    bench_must(sac_equalize_open(&b->asynchronous, &desc, &err), "open", &err);
    desc.clahe[0] = desc.clahe[1] = 8;
    bench_must(sac_equalize_open(&b->clahe, &desc, &err), "open", &err);
}

/* What is timed: all frames once. */
static void on_stream(void *arg)
{
    bench *b = arg;
    bench_must(sac_equalize_run_batch(b->asynchronous, b->out, b->in, N, NULL), "run", NULL);
}

static void clahe_on_stream(void *arg)
{
    bench *b = arg;
    bench_must(sac_equalize_run_batch(b->clahe, b->out, b->in, N, NULL), "run", NULL);
}

static void copy_there(void *arg)
{
    const bench *b = arg;
    for (int i = 0; i < N; i++)
        bench_must(sac_gpu_copy(b->out[i].data, b->in[i].data, b->bytes, b->gpu.stream), "copy",
                   NULL);
}

static void copy_in(void *arg)
{
    bench_gpu_copy_in(&((bench *)arg)->copies);
}

static void copy_back(void *arg)
{
    bench_gpu_copy_back(&((bench *)arg)->copies);
}

static void copy_both_ways(void *arg)
{
    bench_gpu_copy_both(&((bench *)arg)->copies);
}

static void batch_pinned(void *arg)
{
    bench *b = arg;
    bench_must(sac_equalize_run_batch(b->own, b->pinned_out, b->pinned_in, N, NULL), "batch", NULL);
}

static void singles_pinned(void *arg)
{
    bench *b = arg;
    for (int i = 0; i < N; i++)
        bench_must(sac_equalize_run(b->own, &b->pinned_out[i], &b->pinned_in[i], NULL), "run",
                   NULL);
}

static void batch_paged(void *arg)
{
    bench *b = arg;
    bench_must(sac_equalize_run_batch(b->own, b->paged_out, b->paged_in, N, NULL), "batch", NULL);
}

static const struct {
    const char *name;
    bench_gpu_call *call;
    int passes; /* over a frame in the memory that is the bottleneck: read plus written */
    bool on_device, is_graph;
} jobs[] = {
    {"copy in device memory, graph", copy_there, 2, true, true},
    {"equalize, graph", on_stream, 3, true, true},
    {"equalize, stream", on_stream, 3, true, false},
    {"equalize, CLAHE 8x8, graph", clahe_on_stream, 3, true, true},
    {"copy from page-locked memory", copy_in, 1, true, false},
    {"copy to page-locked memory", copy_back, 1, true, false},
    {"copies both ways at once", copy_both_ways, 1, false, false},
    {"equalize, page-locked, batch", batch_pinned, 1, false, false},
    {"equalize, page-locked, one by one", singles_pinned, 1, false, false},
    {"equalize, pageable, batch", batch_paged, 1, false, false},
};

/* Nanoseconds a frame, BENCH_GPU_RUNS times, sorted. */
static void time_job(double *ns, bench *b, size_t job)
{
    bench_gpu_launch launch = {NULL, b->gpu.stream};
    if (jobs[job].is_graph) {
        launch.graph = bench_gpu_capture(&b->gpu, jobs[job].call, b);
        bench_gpu_time(ns, &b->gpu, bench_gpu_launch_graph, &launch, true);
        sac_gpu_graph_close(&launch.graph);
    } else {
        bench_gpu_time(ns, &b->gpu, jobs[job].call, b, jobs[job].on_device);
    }
    for (int i = 0; i < BENCH_GPU_RUNS; i++)
        ns[i] /= N;
}

static void report(const bench *b, cli_table *table, cli_json *json, size_t job, const double *ns)
{
    const double bytes = (double)b->bytes * jobs[job].passes, gb_s = bytes / ns[BENCH_GPU_RUNS / 2];
    char shape[48];
    cli_table_row(table);
    cli_table_cell(table, 0, "%s", jobs[job].name);
    cli_table_time(table, 1, ns[BENCH_GPU_RUNS / 2]);
    cli_table_time(table, 2, ns[0]);
    cli_table_time(table, 3, ns[BENCH_GPU_RUNS - 1]);
    cli_table_cell(table, 4, "%.4g", gb_s);
    cli_json_object(json, NULL);
    cli_json_string(json, "pipeline", "equalize");
    cli_json_string(json, "rung", jobs[job].name);
    cli_json_string(json, "device", "cuda:0");
    cli_json_string(json, "shape", cli_shape_text(shape, sizeof shape, &b->in[0]));
    cli_json_real(json, "median_ns", ns[BENCH_GPU_RUNS / 2]);
    cli_json_real(json, "min_ns", ns[0]);
    cli_json_real(json, "max_ns", ns[BENCH_GPU_RUNS - 1]);
    cli_json_int(json, "runs", BENCH_GPU_RUNS);
    cli_json_real(json, "bytes", bytes);
    cli_json_end_object(json);
}

/* Every way of handing over frames gave the CPU's bytes. */
static void verify(bench *b)
{
    sac_error err = {0};
    sac_equalize *cpu = NULL;
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = b->w;
    desc.h = b->h;
    bench_must(sac_equalize_open(&cpu, &desc, &err), "open", &err);
    uint8_t *want = cli_grow(NULL, 0, 1, b->bytes), *got = cli_grow(NULL, 0, 1, b->bytes);
    on_stream(b);
    batch_pinned(b);
    batch_paged(b);
    for (int i = 0; i < N; i++) {
        const sac_array out = frame(b, want, (sac_device){SAC_DEVICE_CPU, 0});
        bench_must(sac_equalize_run(cpu, &out, &b->paged_in[i], NULL), "run", NULL);
        bench_must(sac_gpu_copy(got, b->out[i].data, b->bytes, b->gpu.stream), "copy", NULL);
        bench_must(sac_gpu_wait(b->gpu.stream), "wait", NULL);
        if (memcmp(want, got, b->bytes) != 0 ||
            memcmp(want, b->pinned_out[i].data, b->bytes) != 0 ||
            memcmp(want, b->paged_out[i].data, b->bytes) != 0)
            exit(cli_fail("frame %d differs from the CPU's", i));
    }
    free(want);
    free(got);
    sac_equalize_close(&cpu);
}

static int run(const void *options)
{
    static const char *const heads[] = {"<job", "median a frame", "min", "max", "GB/s"};
    const bench_options *o = options;
    const sac_device device = {SAC_DEVICE_CUDA, 0};
    bench b = {.w = o->size[0] ? o->size[0] : 1920, .h = o->size[1] ? o->size[1] : 1080};
    cli_table table;
    cli_json json;
    b.bytes = (size_t)(b.w * b.h * 3);
    b.step = (b.bytes + ALIGN - 1) / ALIGN * ALIGN;
    bench_gpu_open(&b.gpu, device.index);
    open_frames(&b, device);
    open_plans(&b, device);
    verify(&b);
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    cli_json_open_rows(&json, 0, device);
    for (size_t job = 0; job < sizeof jobs / sizeof *jobs; job++) {
        double ns[BENCH_GPU_RUNS];
        time_job(ns, &b, job);
        report(&b, &table, &json, job, ns);
    }
    FILE *text = bench_text(o->json);
    fprintf(text,
            "equalize %" PRId64 "x%" PRId64
            "x3 u8 on cuda:0, %d different frames in turn, bytes equal to the CPU's\n",
            b.w, b.h, N);
    cli_table_print(&table, text);
    return cli_json_end(&json, o->json); /* the process ends: its memory, its streams, its device */
}

const bench_command bench_this = {help, CLI_TABLE("bench_equalize_gpu", bench_options, params),
                                  run};
