/*
 * bench_meltpool: latency a frame and throughput of the whole pipeline, beside the published times
 * and beside what the machine itself does to a loop.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "json.h"
#include "meltpool_bench.h"
#include "meltpool_gpu.h"
#include "options.h"
#include "tables.h"
#include "base/timings.h"

/* Nourazar, Booth, Goossens: latency a frame of their fastest, and most frames/s of Table 3. */
#define XAVIER_NS 45e3
#define A6000_NS 18e3
#define XAVIER_FPS 106e3
#define A6000_FPS 222e3

#define SCENE_FRAMES 1000 /* of an adversarial scene */
#define SPINS 2000000

typedef struct bench_options {
    size_t struct_size;
    int32_t frames, passes, threads, runs, batched;
    double rate_hz;
    sac_device device;
    const char *json;
} bench_options;

static const char help[] =
    "bench_meltpool: times the meltpool pipeline, features, variances and prediction, on frames "
    "in\n"
    "memory: a simulated build, and the worst frames there are.\n"
    "\n"
    "Usage: bench_meltpool [OPTION]...\n"
    "\n"
    "  --frames N     of the simulated build, 96 x 96 pixels, about one in ten of them empty\n"
    "                 (default 8500, a layer)\n"
    "  --passes N     how often each is run (default 11)\n"
    "  --threads N    of batches, beside one (default 0: one a core)\n"
    "  --device cuda[:N]  on a GPU: other rows, see below (default cpu)\n"
    "  --rate HZ      on a GPU: at which runs are due (default 20000)\n"
    "  --runs N       on a GPU: of each latency (default 1000000)\n"
    "  --batched N    on a GPU: frames that batches are of, the build again and again,\n"
    "                 once at least (default 131072)\n"
    "  --json FILE    write every row as JSON; - is standard output, and no table is printed\n"
    "  -h, --help     this text\n"
    "\n"
    "Latency: one frame a run, on one thread, by the monotonic clock; frames with the laser on.\n"
    "From a ring: each frame was just copied into one of 64 slots, as a receiver does; from\n"
    "memory: it lies in DRAM since the build was made. The floor is what this machine does to\n"
    "the same loop without a run, and to a loop that reads the clock alone.\n"
    "\n"
    "Throughput: batches of 64 frames from the ring, and the whole build at once from memory,\n"
    "empty frames counted; the median of the passes. With one thread it is the processor's time,\n"
    "which others on the machine disturb less.\n"
    "\n"
    "On a GPU latency is from when a frame was due, in page-locked memory, to its record, at a\n"
    "rate and as fast as possible, beside the floor: a kernel that only reads a frame and\n"
    "answers. Batches are of frames in the device's memory and in page-locked memory, beside\n"
    "copies alone. Every record is compared with the CPU's; one that differs is a failure.\n"
    "\n"
    "Xavier, A6000: how many times as fast as the published 45 us on a Jetson Xavier and 18 us\n"
    "on an RTX A6000 a frame, and as 106,000 and 222,000 frames/s of 32 at once (Nourazar,\n"
    "Booth, Goossens).\n"
    "\n"
    "Exit status: 0 done; 1 failed; 2 wrong usage.\n";

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"frames", CLI_INT(frames, 100, 1000000, 8500, ""), "N", ""},
    {"passes", CLI_INT(passes, 1, 1000, 11, ""), "N", ""},
    {"threads", CLI_INT(threads, 0, 1024, 0, ""), "N", ""},
    {"device", CLI_DEVICE(device), "DEVICE", ""},
    {"rate", CLI_FLOAT(rate_hz, 1, 1e6, 20000, ""), "HZ", ""},
    {"runs", CLI_INT(runs, 1, 1000000000, 1000000, ""), "N", ""},
    {"batched", CLI_INT(batched, 1, 1 << 20, 131072, ""), "N", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

static const char *const latency_heads[] = {"<one frame", "<of", "frames", "p50",  "p99",
                                            "p99.9",      "max", "Xavier", "A6000"};
static const char *const batch_heads[] = {"<batches", "<of",           "threads", "a frame",
                                          "frames/s", "frames/s/core", "Xavier",  "A6000"};

typedef struct report {
    cli_table latency, batch;
    cli_json json;
} report;

/* published: whether there is something to compare with. */
static void put_latency(report *r, const char *what, const char *of, bench_times t, bool published)
{
    static const double ranks[] = {0.5, 0.99, 0.999, 1};
    static const char *const names[] = {"median_ns", "p99_ns", "p999_ns", "max_ns"};
    double ns[4];
    for (int i = 0; i < 4; i++)
        ns[i] = (double)sac_timings_at(t.ns, t.n, ranks[i]);
    cli_table_row(&r->latency);
    cli_table_cell(&r->latency, 0, "%s", what);
    cli_table_cell(&r->latency, 1, "%s", of);
    cli_table_cell(&r->latency, 2, "%d", t.n);
    for (int i = 0; i < 4; i++)
        cli_table_time(&r->latency, 3 + i, ns[i]);
    if (published) {
        cli_table_cell(&r->latency, 7, "%.1fx", XAVIER_NS / ns[0]);
        cli_table_cell(&r->latency, 8, "%.1fx", A6000_NS / ns[0]);
    }
    cli_json_object(&r->json, NULL);
    cli_json_string(&r->json, "pipeline", "meltpool");
    cli_json_string(&r->json, "what", what);
    cli_json_string(&r->json, "of", of);
    cli_json_string(&r->json, "device", "cpu");
    cli_json_int(&r->json, "threads", 1);
    cli_json_int(&r->json, "runs", t.n);
    for (int i = 0; i < 4; i++)
        cli_json_real(&r->json, names[i], ns[i]);
    if (published) {
        cli_json_real(&r->json, "xavier_ns", XAVIER_NS);
        cli_json_real(&r->json, "published_ns", A6000_NS);
    }
    cli_json_end_object(&r->json);
}

static void put_batches(report *r, const char *what, const char *of, int32_t n_threads, double ns)
{
    const double rate = 1e9 / ns;
    cli_table_row(&r->batch);
    cli_table_cell(&r->batch, 0, "%s", what);
    cli_table_cell(&r->batch, 1, "%s", of);
    cli_table_cell(&r->batch, 2, "%d", n_threads);
    cli_table_time(&r->batch, 3, ns);
    cli_table_cell(&r->batch, 4, "%.0f", rate);
    cli_table_cell(&r->batch, 5, "%.0f", rate / n_threads);
    cli_table_cell(&r->batch, 6, "%.1fx", rate / XAVIER_FPS);
    cli_table_cell(&r->batch, 7, "%.1fx", rate / A6000_FPS);
    cli_json_object(&r->json, NULL);
    cli_json_string(&r->json, "pipeline", "meltpool");
    cli_json_string(&r->json, "what", what);
    cli_json_string(&r->json, "of", of);
    cli_json_string(&r->json, "device", "cpu");
    cli_json_int(&r->json, "threads", n_threads);
    cli_json_real(&r->json, "median_ns", ns);
    cli_json_real(&r->json, "frames_s", rate);
    cli_json_real(&r->json, "xavier_frames_s", XAVIER_FPS);
    cli_json_real(&r->json, "a6000_frames_s", A6000_FPS);
    cli_json_end_object(&r->json);
}

static void time_build(bench *b, report *r, const bench_options *o)
{
    bench_build build;
    bench_open_build(&build, o->frames, 0);
    (void)bench_frames(b, &build, BENCH_RING); /* warm */
    put_latency(r, "floor: clock", "", bench_spin(b, SPINS), false);
    put_latency(r, "floor: no run", "ring", bench_frames(b, &build, BENCH_NOTHING), false);
    put_latency(r, "typical", "ring", bench_frames(b, &build, BENCH_RING), true);
    put_latency(r, "typical", "memory", bench_frames(b, &build, BENCH_MEMORY), true);
    const int32_t threads[] = {1, o->threads ? o->threads : sac_cpu_count()};
    for (int i = 0; i < (threads[1] > 1 ? 2 : 1); i++) {
        put_batches(r, "of 64", "ring", threads[i],
                    bench_batches(b, &build, BENCH_RING, BENCH_SLOTS, threads[i]));
        put_batches(r, "whole build", "memory", threads[i],
                    bench_batches(b, &build, BENCH_MEMORY, o->frames, threads[i]));
    }
    bench_close_build(&build);
}

static void time_scenes(bench *b, report *r)
{
    for (int32_t i = 1; sac_meltpool_scenes[i]; i++) {
        bench_build build;
        bench_open_build(&build, SCENE_FRAMES, i);
        put_latency(r, sac_meltpool_scenes[i], "ring", bench_frames(b, &build, BENCH_RING), true);
        bench_close_build(&build);
    }
}

static int finish(report *r, const bench *b, const bench_options *o)
{
    if (bench_prints(o->json)) {
        char cpu[128], load[64];
        printf("%s, %s; %d passes\n", sac_cpu_model(cpu, sizeof cpu), bench_load(load, sizeof load),
               o->passes);
        printf("%s\n", sac_meltpool_get_variant(b->plan));
        cli_table_print(&r->latency, stdout);
        puts("");
        cli_table_print(&r->batch, stdout);
    }
    return cli_json_end(&r->json, o->json);
}

static int run(const void *options)
{
    const bench_options *o = options;
    if (o->device.kind == SAC_DEVICE_CUDA)
        return bench_meltpool_gpu(&(bench_gpu_options){.device = o->device,
                                                       .frames = o->frames,
                                                       .batched = o->batched,
                                                       .passes = o->passes,
                                                       .runs = o->runs,
                                                       .rate_hz = o->rate_hz,
                                                       .json = o->json});
    const int64_t all = (int64_t)o->frames * o->passes, least = SCENE_FRAMES * o->passes;
    const int64_t most = all > SPINS ? all : least > SPINS ? least : SPINS;
    bench *b = sac_alloc(1, sizeof *b);
    report r;
    sac_error err = {0};
    if (most > INT32_MAX || !b || !(b->ns = sac_alloc((size_t)most, sizeof *b->ns)))
        return cli_fail("no memory for %lld times", (long long)most);
    b->most = (int32_t)most;
    b->passes = o->passes;
    sac_meltpool_scene_plan_init(&b->of);
    b->of.desc.n_threads = 1;
    if (sac_meltpool_open(&b->plan, &b->of.desc, &err))
        return cli_error(&err);
    cli_table_open(&r.latency, latency_heads, sizeof latency_heads / sizeof *latency_heads);
    cli_table_open(&r.batch, batch_heads, sizeof batch_heads / sizeof *batch_heads);
    cli_json_open_rows(&r.json, 0, (sac_device){0});
    time_build(b, &r, o);
    time_scenes(b, &r);
    const int status = finish(&r, b, o);
    sac_meltpool_close(&b->plan);
    sac_free(b->ns);
    sac_free(b);
    return status;
}

const bench_command bench_this = {help, CLI_TABLE("bench_meltpool", bench_options, params), run};
