/*
 * bench_stream: from a frame's schedule to its result, through the ring and a worker, beside what
 * the machine does to a thread that only reads the clock.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/jitter.h>
#include <saccade/stream.h>

#include "base/clock.h"
#include "base/relax.h"
#include "histogram.h"
#include "jitter/report.h"
#include "meltpool_bench.h"
#include "meltpool_floor.h"
#include "options.h"
#include "tables.h"

#define BUILD_FRAMES 8500 /* a layer; sent again and again */
#define FRAME_BYTES ((size_t)BENCH_SIDE * BENCH_SIDE)
#define CAPACITY 1024
#define FLAT_OUT_FRAMES 500000
#define MAX_BATCH 4096

typedef struct bench_options {
    size_t struct_size;
    double seconds, rate_hz;
    int32_t cpu, priority, batch_max;
    bool ahead;
    sac_device device;
    const char *json;
} bench_options;

static const char help[] =
    "bench_stream: how long a frame takes from its schedule to its result.\n"
    "\n"
    "Usage: bench_stream [OPTION]...\n"
    "\n"
    "  --seconds S    each row's (default 10)\n"
    "  --rate HZ      frames a second (default 20000)\n"
    "  --cpu N        the worker, and the floor, run on this CPU alone (default -1: anywhere); "
    "run\n"
    "                 the whole by taskset, with another for the sender and this one\n"
    "  --priority P   the worker's and the floor's, SCHED_FIFO (default 0: ordinary)\n"
    "  --batch-max N  frames at once (default 32)\n"
    "  --device cuda[:N]  the work is done on a GPU, on slots in page-locked memory; beside the\n"
    "                 floor of a kernel that reads a frame and answers (default cpu)\n"
    "  --ahead        each frame is in its slot before it is due, as where a camera's driver puts\n"
    "                 it there; the sender's copy is not in its time then\n"
    "  --json FILE    write every row as JSON; - is standard output, and no table is printed\n"
    "  -h, --help     this text\n"
    "\n"
    "A sender spins until each frame is due, copies it into its slot (96 x 96 pixels and the\n"
    "machine's signals) and sends it; a spinning worker does the work. Shown are times from the\n"
    "schedule, which count what held the sender up as well, and from the send. The floor is how\n"
    "late a thread like the worker that only reads the clock sees the same schedule, before and\n"
    "behind the rest. One at a time, the sender waits for each result and sends the next frame at\n"
    "once. Flat out, it waits for room alone. Features of every record of a GPU are compared with\n"
    "the CPU's; one that differs is a failure.\n"
    "\n"
    "Exit status: 0 done; 1 failed; 2 wrong usage.\n";

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"seconds", CLI_FLOAT(seconds, 1e-2, 1e5, 10, ""), "S", ""},
    {"rate", CLI_FLOAT(rate_hz, 1, 1e6, 20000, ""), "HZ", ""},
    {"cpu", CLI_INT(cpu, -1, 1023, -1, ""), "N", ""},
    {"priority", CLI_INT(priority, 0, 99, 0, ""), "P", ""},
    {"batch-max", CLI_INT(batch_max, 1, MAX_BATCH, 32, ""), "N", ""},
    {"device", CLI_DEVICE(device), "DEVICE", ""},
    {"ahead", CLI_FLAG(ahead), "", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

static const char *const heads[] = {"<", BENCH_SHARE_HEADS, "most waiting", "dropped"};
static const char *const flat_heads[] = {"<flat out", "frames", "a frame", "frames/s", "GB/s"};

typedef struct bench_state {
    const bench_options *options;
    bench_build build;
    sac_meltpool *plan;
    sac_histogram *sent;       /* from the send to the result */
    void *memory;              /* of the ring, page-locked; NULL: the stream's own */
    sac_meltpool_record *want; /* of the build, by the CPU; NULL: it is the CPU that works */
    int64_t n_different;
    _Atomic int64_t n_done; /* frames; relaxed: it is a number by itself */
    sac_meltpool_record records[MAX_BATCH];
    sac_meltpool_signals signals[MAX_BATCH];
    cli_table table, flat;
    cli_json json;
} bench_state;

static void done(bench_state *b, sac_stream_frame *frame)
{
    frame->done_ns = sac_clock_ns();
    sac_histogram_record(b->sent, frame->done_ns - frame->arrived_ns);
    atomic_store_explicit(&b->n_done, (int64_t)frame->number + 1, memory_order_relaxed);
}

static void no_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        done(ctx, &frames[i]);
}

static sac_meltpool_signals signals_of(const sac_stream_frame *frame)
{
    sac_meltpool_signals signals;
    memcpy(&signals, (const char *)frame->data + FRAME_BYTES, sizeof signals);
    return signals;
}

/* n frames that lie `stride` bytes from each other. */
static void analyse(bench_state *b, sac_stream_frame *frames, int32_t n, ptrdiff_t stride)
{
    const sac_array array = {.data = frames->data,
                             .dtype = SAC_U8,
                             .n_dims = 3,
                             .shape = {n, BENCH_SIDE, BENCH_SIDE},
                             .stride = {stride, BENCH_SIDE, 1}};
    for (int32_t i = 0; i < n; i++)
        b->signals[i] = signals_of(&frames[i]);
    const sac_status status = sac_meltpool_run_batch(b->plan, b->records, &array, b->signals, NULL);
    if (status)
        exit(cli_fail("a frame was refused: %s", sac_status_name(status)));
    for (int32_t i = 0; i < n; i++) {
        if (b->records[i].flags & SAC_MELTPOOL_EMPTY)
            frames[i].outcome = SAC_STREAM_EMPTY;
        done(b, &frames[i]);
    }
    for (int32_t i = 0; i < n && b->want; i++)
        b->n_different +=
            memcmp(b->records[i].features, b->want[frames[i].number % BUILD_FRAMES].features,
                   SAC_MELTPOOL_OF_FRAME * sizeof(float)) != 0;
}

/* On the CPU each frame by itself, so that its time is its own. */
static void meltpool_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    const bench_state *b = ctx;
    for (int32_t at = 0, count; at < n; at += count) {
        ptrdiff_t stride = 0;
        count = b->want ? sac_stream_evenly_spaced(frames + at, n - at, &stride) : 1;
        analyse(ctx, frames + at, count, stride);
    }
}

static void write_frame(const bench_state *b, void *slot, int64_t k)
{
    const size_t i = (size_t)(k % b->build.n);
    memcpy(slot, b->build.pixels + i * FRAME_BYTES, FRAME_BYTES);
    memcpy((char *)slot + FRAME_BYTES, &b->build.signals[i], sizeof b->build.signals[i]);
}

static sac_stream *open_stream(bench_state *b, sac_stream_work_fn work)
{
    sac_stream_desc desc;
    sac_stream *s = NULL;
    sac_error err = {0};
    sac_stream_desc_init(&desc);
    desc.frame_bytes = FRAME_BYTES + sizeof(sac_meltpool_signals);
    desc.work = work;
    desc.ctx = b;
    desc.capacity = CAPACITY;
    desc.batch_max = b->options->batch_max;
    desc.spin_us = SAC_STREAM_SPIN;
    desc.cpu = b->options->cpu;
    desc.priority = b->options->priority;
    if (b->want) {
        desc.memory_bytes = sac_stream_memory_bytes(&desc);
        if (!b->memory)
            bench_must(sac_pinned_alloc(&b->memory, desc.memory_bytes, b->options->device, &err),
                       NULL, &err);
        desc.memory = b->memory;
    }
    atomic_store_explicit(&b->n_done, 0, memory_order_relaxed);
    sac_histogram_close(&b->sent);
    bench_must(sac_histogram_open(&b->sent, &err), NULL, &err);
    sac_meltpool_reset(b->plan);
    bench_must(sac_stream_open(&s, &desc, &err), NULL, &err);
    return s;
}

/* counts: of the stream, or NULL. */
static void put_row(bench_state *b, const char *what, const sac_histogram *h,
                    const sac_stream_counts *counts)
{
    cli_table_row(&b->table);
    cli_table_cell(&b->table, 0, "%s", what);
    bench_histogram_cells(&b->table, 1, h);
    cli_json_object(&b->json, NULL);
    cli_json_string(&b->json, "what", what);
    cli_json_real(&b->json, "rate_hz", b->options->rate_hz);
    cli_json_int(&b->json, "cpu", b->options->cpu);
    cli_json_string(&b->json, "device", b->want ? "cuda" : "cpu");
    bench_histogram_json(&b->json, h);
    if (counts) {
        cli_table_cell(&b->table, 2 + BENCH_SHARES, "%lld", (long long)counts->most_waiting);
        cli_table_cell(&b->table, 3 + BENCH_SHARES, "%lld", (long long)counts->dropped);
        cli_json_int(&b->json, "most_waiting", counts->most_waiting);
        cli_json_int(&b->json, "batches", counts->batches);
        cli_json_int(&b->json, "dropped", counts->dropped);
    }
    cli_json_end_object(&b->json);
}

static void time_floor(bench_state *b, const char *what)
{
    sac_jitter_desc desc;
    sac_histogram *late = NULL;
    sac_error err = {0};
    sac_jitter_desc_init(&desc);
    desc.seconds = b->options->seconds;
    desc.rate_hz = b->options->rate_hz;
    desc.cpu = b->options->cpu;
    desc.priority = b->options->priority;
    bench_must(sac_histogram_open(&late, &err), NULL, &err);
    bench_must(sac_jitter_run(NULL, late, &desc, &err), NULL, &err);
    put_row(b, what, late, NULL);
    sac_histogram_close(&late);
}

static void time_paced(bench_state *b, const char *of_schedule, const char *of_send,
                       sac_stream_work_fn work)
{
    sac_stream *s = open_stream(b, work);
    const double period_ns = 1e9 / b->options->rate_hz;
    const int64_t n = (int64_t)(b->options->seconds * b->options->rate_hz);
    const int64_t begin = sac_clock_ns() + 1000000;
    for (int64_t k = 0; k < n; k++) {
        const int64_t due = begin + (int64_t)((double)k * period_ns);
        if (b->options->ahead)
            write_frame(b, sac_stream_slot(s), k);
        while (sac_clock_ns() < due)
            sac_relax();
        if (!b->options->ahead)
            write_frame(b, sac_stream_slot(s), k);
        (void)!sac_stream_send(s, due);
    }
    sac_stream_stop(s);
    sac_stream_counts counts = {.struct_size = sizeof counts};
    sac_stream_get_counts(s, &counts);
    put_row(b, of_schedule, sac_stream_get_latency(s), &counts);
    put_row(b, of_send, b->sent, &counts);
    sac_stream_close(&s);
}

/* A frame is sent as soon as the one before it is done, and lies in its slot before that. */
static void time_one_by_one(bench_state *b, const char *what, sac_stream_work_fn work)
{
    sac_stream *s = open_stream(b, work);
    const int64_t n = (int64_t)(b->options->seconds * b->options->rate_hz);
    for (int64_t k = 0; k < n; k++) {
        write_frame(b, sac_stream_slot(s), k);
        (void)!sac_stream_send(s, 0);
        while (atomic_load_explicit(&b->n_done, memory_order_relaxed) <= k)
            sac_relax();
    }
    sac_stream_stop(s);
    put_row(b, what, b->sent, NULL);
    sac_stream_close(&s);
}

static void time_flat_out(bench_state *b, const char *what, bool copy, sac_stream_work_fn work)
{
    sac_stream *s = open_stream(b, work);
    const int64_t begin = sac_clock_ns();
    for (int64_t k = 0; k < FLAT_OUT_FRAMES; k++) {
        if (copy)
            write_frame(b, sac_stream_slot(s), k);
        (void)!sac_stream_send(s, 0);
    }
    sac_stream_stop(s);
    const double ns = (double)(sac_clock_ns() - begin) / FLAT_OUT_FRAMES;
    sac_stream_close(&s);
    cli_table_row(&b->flat);
    cli_table_cell(&b->flat, 0, "%s", what);
    cli_table_cell(&b->flat, 1, "%d", FLAT_OUT_FRAMES);
    cli_table_time(&b->flat, 2, ns);
    cli_table_cell(&b->flat, 3, "%.0f", 1e9 / ns);
    if (copy)
        cli_table_cell(&b->flat, 4, "%.2f", (double)FRAME_BYTES / ns);
    cli_json_object(&b->json, NULL);
    cli_json_string(&b->json, "what", what);
    cli_json_int(&b->json, "frames", FLAT_OUT_FRAMES);
    cli_json_real(&b->json, "mean_ns", ns);
    cli_json_real(&b->json, "frames_s", 1e9 / ns);
    cli_json_end_object(&b->json);
}

/* What any kernel takes; before there is a plan, whose worker would be beside it. */
static void time_gpu_floors(bench_state *b)
{
    static const char *const names[] = {"GPU floor, 40 x 40 read", "GPU floor, frame read"};
    for (int i = 0; i < 4; i++) {
        const bench_options *o = b->options;
        const bench_floor floor = {.kind = i % 2 ? BENCH_FLOOR_FRAME : BENCH_FLOOR_REGION,
                                   .device = o->device,
                                   .n = (int64_t)(o->seconds * o->rate_hz / 5) + 1,
                                   .rate_hz = i < 2 ? o->rate_hz : 0,
                                   .frames = b->build.pixels,
                                   .n_frames = b->build.n};
        char what[64];
        sac_histogram *h = NULL;
        sac_error err = {0};
        bench_must(sac_histogram_open(&h, &err), NULL, &err);
        bench_must(bench_floor_run(h, &floor, &err), NULL, &err);
        snprintf(what, sizeof what, "%s%s", names[i % 2], i < 2 ? "" : ", one at a time");
        put_row(b, what, h, NULL);
        sac_histogram_close(&h);
    }
}

/* What the CPU makes of the build, for comparison. */
static void run_on_cpu(bench_state *b, const sac_meltpool_desc *desc)
{
    const int64_t shape[] = {b->build.n, BENCH_SIDE, BENCH_SIDE};
    sac_meltpool *cpu = NULL;
    sac_array frames;
    sac_error err = {0};
    b->want = b->build.records;
    bench_must(sac_meltpool_open(&cpu, desc, &err), NULL, &err);
    bench_must(sac_array_view(&frames, b->build.pixels, SAC_U8, 3, shape, &err), NULL, &err);
    if (sac_meltpool_run_batch(cpu, b->want, &frames, b->build.signals, NULL))
        exit(cli_fail("the CPU refused frames"));
    sac_meltpool_close(&cpu);
}

static int finish(bench_state *b)
{
    const char *path = b->options->json;
    if (bench_prints(path)) {
        char cpu[128], load[64];
        printf("%s, %s; %g s a row at %g Hz; worker on CPU %d (-1: any)\n",
               sac_cpu_model(cpu, sizeof cpu), bench_load(load, sizeof load), b->options->seconds,
               b->options->rate_hz, b->options->cpu);
        printf("%s\n", sac_meltpool_get_variant(b->plan));
        cli_table_print(&b->table, stdout);
        puts("");
        cli_table_print(&b->flat, stdout);
    }
    const int status = cli_json_end(&b->json, path);
    return b->n_different == 0 ? status
                               : cli_fail("features of %lld frames differ from the CPU's",
                                          (long long)b->n_different);
}

static int run(const void *options)
{
    const bench_options *o = options;
    static bench_state b;
    static sac_meltpool_scene_plan of;
    sac_error err = {0};
    b.options = o;
    sac_meltpool_scene_plan_init(&of);
    of.desc.n_threads = 1;
    bench_open_build(&b.build, BUILD_FRAMES, 0);
    cli_table_open(&b.table, heads, sizeof heads / sizeof *heads);
    cli_table_open(&b.flat, flat_heads, sizeof flat_heads / sizeof *flat_heads);
    cli_json_open_rows(&b.json, 0, o->device);
    if (o->device.kind == SAC_DEVICE_CUDA)
        run_on_cpu(&b, &of.desc);
    time_floor(&b, "floor, before");
    if (b.want)
        time_gpu_floors(&b);
    of.desc.device = o->device;
    bench_must(sac_meltpool_open(&b.plan, &of.desc, &err), NULL, &err);
    time_paced(&b, "no work, from schedule", "no work, from send", no_work);
    time_paced(&b, "meltpool, from schedule", "meltpool, from send", meltpool_work);
    time_one_by_one(&b, "meltpool, one at a time", meltpool_work);
    time_floor(&b, "floor, behind");
    time_flat_out(&b, "nothing written, no work", false, no_work);
    time_flat_out(&b, "frames written, no work", true, no_work);
    time_flat_out(&b, "frames written, meltpool", true, meltpool_work);
    const int status = finish(&b);
    sac_histogram_close(&b.sent);
    sac_meltpool_close(&b.plan);
    sac_pinned_free(b.memory, o->device);
    bench_close_build(&b.build);
    return status;
}

const bench_command bench_this = {help, CLI_TABLE("bench_stream", bench_options, params), run};
