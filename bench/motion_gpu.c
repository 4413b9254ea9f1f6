/*
 * Heat maps, noise views and filters on a GPU: plans as a caller has them, on 64 different frames
 * in turn, beside a copy in the same memory, the link, CuPy and PyTorch.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion_gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/motion.h>

#include "gpu_times.h"
#include "options.h"
#include "room/check.h"
#include "tables.h"

#define N 64      /* frames in turn: at 1080p 400 MB, several times the L2 */
#define ALIGN 256 /* bytes: where each frame begins */
#define MAX_PEERS 64

typedef enum pipeline { HEAT, NOISE, DENOISE } pipeline;

typedef struct job {
    const char *name;
    pipeline pipeline;
    int32_t option, size; /* map, view or method; window */
    int64_t w, h;
    double bytes;   /* bytes that a pixel's call reads and writes */
    int n;          /* pictures of a batch, */
    int calls;      /* by which a batch's time is divided */
    bool are_alone; /* each is of a video of its own, not of one video */
} job;

#define CPU ((sac_device){SAC_DEVICE_CPU, 0})
#define HD 1920, 1080
#define UHD 3840, 2160

static const job jobs[] = {
    {"heat map, sine, 1920x1080", HEAT, SAC_HEAT_SINE, 0, HD, 9, N, N, false},
    {"heat map, turbo, 1920x1080", HEAT, SAC_HEAT_TURBO, 0, HD, 9, N, N, false},
    {"heat map, sine, 3840x2160", HEAT, SAC_HEAT_SINE, 0, UHD, 9, N, N, false},
    {"noise mask, 1920x1080", NOISE, SAC_NOISE_MASK, 0, HD, 9, N, N, false},
    {"noise mask, 3840x2160", NOISE, SAC_NOISE_MASK, 0, UHD, 9, N, N, false},
    {"noise overlay, 1920x1080", NOISE, SAC_NOISE_OVERLAY, 0, HD, 9, N, N, false},
    {"noise overlay, 3840x2160", NOISE, SAC_NOISE_OVERLAY, 0, UHD, 9, N, N, false},
    {"noise bits and count, 1920x1080", NOISE, SAC_NOISE_BITS, 0, HD, 6.125, N, N, false},
    {"mean 3x3, 1920x1080", DENOISE, SAC_DENOISE_MEAN, 3, HD, 6, N, N, false},
    {"Gaussian 3x3, 1920x1080", DENOISE, SAC_DENOISE_GAUSSIAN, 3, HD, 6, N, N, false},
    {"median 3x3, 1920x1080", DENOISE, SAC_DENOISE_MEDIAN, 3, HD, 6, N, N, false},
    {"median 5x5, 1920x1080", DENOISE, SAC_DENOISE_MEDIAN, 5, HD, 6, N, N, false},
    {"temporal, 1920x1080", DENOISE, SAC_DENOISE_TEMPORAL, 3, HD, 18, N, N, false},
    {"heat maps of 64 videos, 640x480", HEAT, SAC_HEAT_SINE, 0, 640, 480, 9, N, 1, true},
    {"heat map of as many pixels, 5120x3840", HEAT, SAC_HEAT_SINE, 0, 5120, 3840, 9, 4, 4, false},
};

typedef struct peer {
    char job[64], name[32];
    double ns;
} peer;

typedef struct bench {
    bench_gpu gpu;
    sac_device device;
    char *frames, *pinned; /* the same bytes, on the device and page-locked */
    char *outs, *pinned_outs;
    double copy_rate; /* bytes per ns, in device memory */
    peer peers[MAX_PEERS];
    int n_peers;
} bench;

typedef struct plan {
    const job *job;
    sac_heatmap *heatmap;
    sac_noise *noise;
    sac_denoise *denoise;
    sac_array out[N], current[N], previous[N];
} plan;

static size_t frame_bytes(const job *j)
{
    return ((size_t)(j->w * j->h * 3) + ALIGN - 1) / ALIGN * ALIGN;
}

static int64_t out_channels(const job *j)
{
    return j->pipeline == NOISE && j->option == SAC_NOISE_BITS ? 1 : 3;
}

static sac_array view(const job *j, char *memory, int i, int64_t channels, sac_device device)
{
    const int64_t w = channels == 1 ? (j->w + 7) / 8 : j->w, shape[] = {j->h, w, channels};
    sac_array a;
    bench_must(sac_array_view(&a, memory + (size_t)i * frame_bytes(j), SAC_U8, 3, shape, NULL),
               "view", NULL);
    a.device = device;
    return a;
}

/* Its frames and pictures, at these places of one device. */
static plan plan_of(const job *j, char *frames, char *outs, sac_device place)
{
    plan p = {.job = j};
    for (int i = 0; i < j->n; i++) {
        p.out[i] = view(j, outs, i, out_channels(j), place);
        p.current[i] = view(j, frames, j->are_alone ? 2 * i : i + 1, 3, place);
        p.previous[i] = view(j, frames, j->are_alone ? 2 * i + 1 : i, 3, place);
    }
    return p;
}

static void open_plan(plan *p, sac_device device, void *stream)
{
    const job *j = p->job;
    sac_error err = {0};
    sac_heatmap_desc heat;
    sac_noise_desc noise;
    sac_denoise_desc denoise;
    sac_heatmap_desc_init(&heat);
    heat.w = j->w, heat.h = j->h, heat.map = j->option, heat.stream = stream;
    sac_noise_desc_init(&noise);
    noise.w = j->w, noise.h = j->h, noise.view = j->option, noise.stream = stream;
    sac_denoise_desc_init(&denoise);
    denoise.w = j->w, denoise.h = j->h, denoise.method = j->option, denoise.stream = stream;
    denoise.size = j->size ? j->size : denoise.size;
    heat.device = noise.device = denoise.device = device;
    bench_must(j->pipeline == HEAT    ? sac_heatmap_open(&p->heatmap, &heat, &err)
               : j->pipeline == NOISE ? sac_noise_open(&p->noise, &noise, &err)
                                      : sac_denoise_open(&p->denoise, &denoise, &err),
               "open", &err);
}

static void close_plan(plan *p)
{
    sac_heatmap_close(&p->heatmap);
    sac_noise_close(&p->noise);
    sac_denoise_close(&p->denoise);
}

/* All pictures once. */
static void run_plan(void *arg)
{
    plan *p = arg;
    sac_error err = {0};
    const int n = p->job->n;
    bench_must(p->heatmap
                   ? sac_heatmap_run_batch(p->heatmap, p->out, p->current, p->previous, n, &err)
               : p->noise ? sac_noise_run_batch(p->noise, p->out, p->current, p->previous, n, &err)
                          : sac_denoise_run_batch(p->denoise, p->out, p->current, n, &err),
               p->job->name, &err);
}

/* Whether the batch's pictures, at `outs`, are the CPU's; outs are of the device or page-locked. */
static void verify(bench *b, const job *j, const char *outs)
{
    const size_t bytes = (size_t)(out_channels(j) == 1 ? (j->w + 7) / 8 : 3 * j->w) * (size_t)j->h;
    const size_t step = frame_bytes(j);
    char *want = malloc((size_t)j->n * step);
    if (!want)
        exit(cli_fail("no memory for the CPU's pictures"));
    plan p = plan_of(j, b->pinned, want, CPU);
    open_plan(&p, CPU, NULL);
    run_plan(&p);
    close_plan(&p);
    for (int i = 0; i < j->n; i++) {
        if (outs == b->outs) {
            bench_must(sac_gpu_copy(b->pinned_outs, outs + (size_t)i * step, bytes, b->gpu.stream),
                       "copy", NULL);
            bench_must(sac_gpu_wait(b->gpu.stream), "wait", NULL);
        }
        const char *got = outs == b->outs ? b->pinned_outs : outs + (size_t)i * step;
        if (memcmp(got, want + (size_t)i * step, bytes) != 0)
            exit(cli_fail("%s: picture %d differs from the CPU's", j->name, i));
    }
    free(want);
}

/* A video: noise over a gradient that moves. */
static void make_frames(bench *b, size_t bytes)
{
    uint64_t random = 1;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t noise = sac_check_random(&random) & UINT64_C(0x1f1f1f1f1f1f1f1f);
        const uint64_t base = (i >> 12) & 0x7f;
        const uint64_t bytes8 = base * UINT64_C(0x0101010101010101) + noise;
        memcpy(b->pinned + i, &bytes8, 8);
    }
    bench_must(sac_gpu_copy(b->frames, b->pinned, bytes, b->gpu.stream), "copy", NULL);
    bench_must(sac_gpu_wait(b->gpu.stream), "wait", NULL);
}

static void open_all(bench *b)
{
    size_t most_frames = 0, most_outs = 0;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        const size_t n = (size_t)(jobs[i].are_alone ? 2 * jobs[i].n : jobs[i].n + 1);
        const size_t frames = n * frame_bytes(&jobs[i]);
        const size_t outs = (size_t)jobs[i].n * frame_bytes(&jobs[i]);
        most_frames = frames > most_frames ? frames : most_frames;
        most_outs = outs > most_outs ? outs : most_outs;
    }
    bench_gpu_open(&b->gpu, b->device.index);
    b->frames = bench_gpu_memory(&b->gpu, most_frames);
    b->outs = bench_gpu_memory(&b->gpu, most_outs);
    b->pinned = bench_gpu_pinned(&b->gpu, most_frames);
    b->pinned_outs = bench_gpu_pinned(&b->gpu, N * frame_bytes(&jobs[0]));
    make_frames(b, most_frames);
}

static void copy_frames(void *arg)
{
    const bench *b = arg;
    const size_t bytes = frame_bytes(&jobs[0]);
    for (size_t i = 0; i < N; i++)
        bench_must(sac_gpu_copy(b->outs + i * bytes, b->frames + i * bytes, bytes, b->gpu.stream),
                   "copy", NULL);
}

static void row(cli_table *table, const char *name, const double *ns, int calls)
{
    cli_table_row(table);
    cli_table_cell(table, 0, "%s", name);
    cli_table_time(table, 1, ns[BENCH_GPU_RUNS / 2] / calls);
    cli_table_time(table, 2, ns[0] / calls);
    cli_table_time(table, 3, ns[BENCH_GPU_RUNS - 1] / calls);
}

/* Its graph, against what a copy's rate gives, and the peers' times. */
static void one_job(bench *b, cli_table *table, const job *j)
{
    double ns[BENCH_GPU_RUNS];
    plan p = plan_of(j, b->frames, b->outs, b->device);
    open_plan(&p, b->device, b->gpu.stream);
    sac_gpu_graph graph = bench_gpu_capture(&b->gpu, run_plan, &p);
    bench_gpu_launch launch = {graph, b->gpu.stream};
    bench_gpu_time(ns, &b->gpu, bench_gpu_launch_graph, &launch, true);
    verify(b, j, b->outs);
    sac_gpu_graph_close(&graph);
    close_plan(&p);
    const double bytes = j->bytes * (double)(j->w * j->h) * j->n / j->calls;
    const double median = ns[BENCH_GPU_RUNS / 2] / j->calls;
    row(table, j->name, ns, j->calls);
    cli_table_cell(table, 4, "%.0f", bytes / median);
    cli_table_cell(table, 5, "%.2f", median * b->copy_rate / bytes);
    for (int i = 0; i < b->n_peers; i++)
        if (strcmp(b->peers[i].job, j->name) == 0) {
            cli_table_row(table);
            cli_table_cell(table, 0, "    %s", b->peers[i].name);
            cli_table_time(table, 1, b->peers[i].ns);
            cli_table_cell(table, 6, "%.1f", b->peers[i].ns / median);
        }
}

/* Runs of 64 between page-locked memory and the device, as the caller calls them. */
static void over_the_link(bench *b, cli_table *table)
{
    const job *j = &jobs[0];
    double ns[BENCH_GPU_RUNS];
    bench_gpu_copies copies = {&b->gpu,        b->frames,      b->pinned, b->outs,
                               b->pinned_outs, frame_bytes(j), N};
    bench_gpu_time(ns, &b->gpu, bench_gpu_copy_in, &copies, true);
    row(table, "copy from page-locked memory", ns, N);
    bench_gpu_time(ns, &b->gpu, bench_gpu_copy_both, &copies, false);
    row(table, "copies both ways at once", ns, N);
    const double both = ns[BENCH_GPU_RUNS / 2];
    plan p = plan_of(j, b->pinned, b->pinned_outs, CPU);
    open_plan(&p, b->device, NULL);
    bench_gpu_time(ns, &b->gpu, run_plan, &p, false);
    verify(b, j, b->pinned_outs);
    close_plan(&p);
    row(table, "heat map, page-locked there and back", ns, N);
    cli_table_cell(table, 5, "%.2f", ns[BENCH_GPU_RUNS / 2] / both);
}

/* By a script, in a process of its own, before anything is timed: lines of job, name and
 * nanoseconds, with tabs between them. Nothing where there is no Python. */
static void ask_peers(bench *b)
{
    FILE *lines = popen("python3 '" BENCH_SOURCE "/motion_gpu_peers.py'", "r");
    char line[160];
    while (lines && fgets(line, sizeof line, lines) && b->n_peers < MAX_PEERS) {
        peer *p = &b->peers[b->n_peers];
        b->n_peers += sscanf(line, "%63[^\t]\t%31[^\t]\t%lf", p->job, p->name, &p->ns) == 3;
    }
    if (lines)
        (void)pclose(lines);
}

int bench_motion_gpu(sac_device device)
{
    static const char *const heads[] = {"<a call", "median",    "min",  "max",
                                        "GB/s",    "of copies", "ratio"};
    bench *b = cli_grow(NULL, 0, 1, sizeof *b);
    double ns[BENCH_GPU_RUNS];
    cli_table table;
    memset(b, 0, sizeof *b);
    b->device = device;
    open_all(b);
    ask_peers(b);
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    sac_gpu_graph graph = bench_gpu_capture(&b->gpu, copy_frames, b);
    bench_gpu_launch launch = {graph, b->gpu.stream};
    bench_gpu_time(ns, &b->gpu, bench_gpu_launch_graph, &launch, true);
    const double bytes = 2.0 * N * (double)frame_bytes(&jobs[0]);
    b->copy_rate = bytes / ns[BENCH_GPU_RUNS / 2];
    row(&table, "copy in device memory, 1920x1080", ns, N);
    cli_table_cell(&table, 4, "%.0f", b->copy_rate);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        one_job(b, &table, &jobs[i]);
    over_the_link(b, &table);
    printf("RGB u8 on cuda:%d, %d different frames in turn, bytes equal to the CPU's\n",
           device.index, N);
    cli_table_print(&table, stdout);
    return CLI_DONE; /* the process ends: its memory, its streams, its device */
}
