/*
 * bench_stream: from a frame's schedule to its result, through the ring and a worker, beside what
 * the machine does to a thread that only reads the clock.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include <saccade/jitter.h>
#include <saccade/stream.h>

#include "base/clock.h"
#include "base/relax.h"
#include "jitter.h"
#include "meltpool_bench.h"
#include "options.h"
#include "report.h"

#define BUILD_FRAMES 8500 /* a layer; sent again and again */
#define FRAME_BYTES ((size_t)BENCH_SIDE * BENCH_SIDE)
#define CAPACITY 1024
#define FLAT_OUT_FRAMES 500000

typedef struct bench_options {
    size_t struct_size;
    double seconds, rate_hz;
    int32_t cpu, priority, batch_max;
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
    "  --json FILE    write every row as JSON; - is standard output, and no table is printed\n"
    "  -h, --help     this text\n"
    "\n"
    "A sender spins until each frame is due, copies it into its slot (96 x 96 pixels and the\n"
    "machine's signals) and sends it; a spinning worker does the work. Shown are times from the\n"
    "schedule, which count what held the sender up as well, and from the send. The floor is how\n"
    "late a thread like the worker that only reads the clock sees the same schedule, before and\n"
    "behind the rest. Flat out, the sender waits for room alone.\n"
    "\n"
    "Exit status: 0 done; 1 failed; 2 wrong usage.\n";

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"seconds", SAC_PARAM_FLOAT, FIELD(seconds), 1e-2, 1e5, 10, NULL, "", "S", ""},
    {"rate", SAC_PARAM_FLOAT, FIELD(rate_hz), 1, 1e6, 20000, NULL, "", "HZ", ""},
    {"cpu", SAC_PARAM_INT, FIELD(cpu), -1, 1023, -1, NULL, "", "N", ""},
    {"priority", SAC_PARAM_INT, FIELD(priority), 0, 99, 0, NULL, "", "P", ""},
    {"batch-max", SAC_PARAM_INT, FIELD(batch_max), 1, 4096, 32, NULL, "", "N", ""},
    {"json", SAC_PARAM_STRING, FIELD(json), 0, 0, 0, NULL, "", "FILE", ""},
};
enum { N_PARAMS = sizeof params / sizeof params[0] };

static const sac_param_table options_table = {"bench_stream", "", sizeof(bench_options), params,
                                              N_PARAMS};

static const char *const heads[] = {"<",      "frames", "p50",          "p99",    "p99.9",
                                    "p99.99", "max",    "most waiting", "dropped"};
static const char *const flat_heads[] = {"<flat out", "frames", "a frame", "frames/s", "GB/s"};

typedef struct bench_state {
    const bench_options *options;
    bench_build build;
    sac_meltpool *plan;
    sac_histogram *sent; /* from the send to the result */
    sac_meltpool_record record;
    cli_table table, flat;
    cli_json json;
} bench_state;

static void must(sac_status status, const sac_error *err)
{
    if (status)
        exit(cli_fail("%s", err->text));
}

static void done(bench_state *b, sac_stream_frame *frame)
{
    frame->done_ns = sac_clock_ns();
    sac_histogram_record(b->sent, frame->done_ns - frame->arrived_ns);
}

static void no_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        done(ctx, &frames[i]);
}

static void meltpool_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    static const int64_t shape[] = {BENCH_SIDE, BENCH_SIDE};
    bench_state *b = ctx;
    for (int32_t i = 0; i < n; i++) {
        const sac_meltpool_signals *signals =
            (const void *)((const char *)frames[i].data + FRAME_BYTES);
        sac_array view;
        if (sac_array_view(&view, frames[i].data, SAC_U8, 2, shape, NULL) ||
            sac_meltpool_run(b->plan, &b->record, &view, signals))
            exit(cli_fail("a frame was refused"));
        if (b->record.flags & SAC_MELTPOOL_EMPTY)
            frames[i].outcome = SAC_STREAM_EMPTY;
        done(b, &frames[i]);
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
    sac_histogram_close(&b->sent);
    must(sac_histogram_open(&b->sent, &err), &err);
    sac_meltpool_reset(b->plan);
    must(sac_stream_open(&s, &desc, &err), &err);
    return s;
}

/* counts: of the stream, or NULL. */
static void put_row(bench_state *b, const char *what, const sac_histogram *h,
                    const sac_stream_counts *counts)
{
    static const double shares[] = {0.5, 0.99, 0.999, 0.9999, 1};
    char text[16];
    cli_table_row(&b->table);
    cli_table_cell(&b->table, 0, "%s", what);
    cli_table_cell(&b->table, 1, "%lld", (long long)sac_histogram_count(h));
    for (int i = 0; i < 5; i++)
        cli_table_cell(&b->table, 2 + i, "%s",
                       cli_time_text(text, sizeof text, sac_histogram_quantile(h, shares[i])));
    cli_json_object(&b->json, NULL);
    cli_json_string(&b->json, "what", what);
    cli_json_real(&b->json, "rate_hz", b->options->rate_hz);
    cli_json_int(&b->json, "cpu", b->options->cpu);
    cli_json_histogram(&b->json, "time", h);
    if (counts) {
        cli_table_cell(&b->table, 7, "%lld", (long long)counts->most_waiting);
        cli_table_cell(&b->table, 8, "%lld", (long long)counts->dropped);
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
    must(sac_histogram_open(&late, &err), &err);
    must(sac_jitter_run(NULL, late, &desc, &err), &err);
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
        while (sac_clock_ns() < due)
            sac_relax();
        write_frame(b, sac_stream_slot(s), k);
        (void)!sac_stream_send(s, due);
    }
    sac_stream_stop(s);
    const sac_stream_counts counts = sac_stream_get_counts(s);
    put_row(b, of_schedule, sac_stream_latency(s), &counts);
    put_row(b, of_send, b->sent, &counts);
    sac_stream_close(&s);
}

static void time_flat_out(bench_state *b, const char *what, bool copy, sac_stream_work_fn work)
{
    char text[16];
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
    cli_table_cell(&b->flat, 2, "%s", cli_time_text(text, sizeof text, ns));
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

static int finish(bench_state *b)
{
    const char *path = b->options->json;
    if (!path || strcmp(path, "-") != 0) {
        char cpu[128];
        double load[1] = {0};
        (void)getloadavg(load, 1);
        printf("%s, %d cores, load average %.1f; %g s a row at %g Hz; worker on CPU %d (-1: any)\n",
               sac_cpu_model(cpu, sizeof cpu), sac_cpu_count(), load[0], b->options->seconds,
               b->options->rate_hz, b->options->cpu);
        printf("%s\n", sac_meltpool_variant(b->plan));
        cli_table_print(&b->table, stdout);
        puts("");
        cli_table_print(&b->flat, stdout);
    }
    if (path)
        return cli_json_write(&b->json, path);
    cli_json_discard(&b->json);
    return CLI_DONE;
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
    must(sac_meltpool_open(&b.plan, &of.desc, &err), &err);
    bench_open_build(&b.build, BUILD_FRAMES, 0);
    cli_table_open(&b.table, heads, sizeof heads / sizeof *heads);
    cli_table_open(&b.flat, flat_heads, sizeof flat_heads / sizeof *flat_heads);
    cli_json_open_rows(&b.json, 0, (sac_device){0});
    time_floor(&b, "floor, before");
    time_paced(&b, "no work, from schedule", "no work, from send", no_work);
    time_paced(&b, "meltpool, from schedule", "meltpool, from send", meltpool_work);
    time_floor(&b, "floor, behind");
    time_flat_out(&b, "nothing written, no work", false, no_work);
    time_flat_out(&b, "frames written, no work", true, no_work);
    time_flat_out(&b, "frames written, meltpool", true, meltpool_work);
    const int status = finish(&b);
    sac_histogram_close(&b.sent);
    sac_meltpool_close(&b.plan);
    bench_close_build(&b.build);
    return status;
}

int main(int argc, char **argv)
{
    static const bench_command command = {"bench_stream", help, &options_table, run};
    bench_options options;
    return bench_main(&command, &options, argc, argv);
}
