/*
 * bench_motion: saccade's heat map, noise view, filters and controls against OpenCV and a copy, in
 * one run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "equalize_opencv.h"
#include "motion_bench.h"
#include "motion_gpu.h"
#include "options.h"
#include "tables.h"
#include "base/timings.h"

#define MIN_ROUNDS 11
#define WARM_RUNS 12 /* before the run that counts: threads awake, caches hot */

static const char help[] =
    "bench_motion: times saccade's heat map, noise view, filters and controls against OpenCV and "
    "a\n"
    "copy, in turns, on two synthetic 1920x1080 BGR frames; or on a GPU, beside copies, CuPy and "
    "PyTorch.\n"
    "\n"
    "Usage: bench_motion [OPTION]... [SECONDS]\n"
    "\n"
    "  --seconds S  how long to time all together, 11 rounds at least (default 5);\n"
    "               SECONDS says the same\n"
    "  --isa SETS   best: the instruction sets that this CPU has; all: each of them in a column,\n"
    "               and plain C, with one thread (default best)\n"
    "  --device DEV cpu, cuda or cuda:N (default cpu); a GPU works on 64 different frames in "
    "turn,\n"
    "               and every picture is compared with the CPU's\n"
    "  -h, --help   this text\n"
    "\n"
    "With one thread times are of the processor, which others on the machine disturb less; with\n"
    "two by the clock. ratio is the median over all rounds of a time over that of saccade's same\n"
    "job in the same round, with as many threads. OpenCV's noise mask, filters and levels must be\n"
    "saccade's bytes: of medians inside the border, which OpenCV repeats; its running average is\n"
    "another filter, and its colors are mixed in 1024ths. Exit status: 0 done; 1 failed; 2 wrong "
    "usage.\n";

typedef struct bench_options {
    size_t struct_size;
    double seconds;
    int32_t isa;
    sac_device device;
    char **operands; /* one at most: seconds */
} bench_options;

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"seconds", CLI_FLOAT(seconds, 0, 3600, 5, "s"), "S", ""},
    {"isa", CLI_CHOICE(isa, BENCH_ISA_BEST, bench_isa_names), "SETS", ""},
    {"device", CLI_DEVICE(device), "DEVICE", ""},
};

/* Frames that differ as the checks' scene does. */
static sac_status make_frames(bench *b, sac_error *err)
{
    static const int64_t shape[] = {H, W, 3};
    sac_check_case *c = &b->memory;
    *c = (sac_check_case){.w = W, .h = H, .seed = 12345};
    static const char *const names[] = {"out", "current", "previous"};
    sac_array *arrays[] = {&b->frames.out, &b->frames.current, &b->frames.previous};
    sac_status st = SAC_OK;
    for (int i = 0; i < 3 && st == SAC_OK; i++) {
        sac_check_pixels_shape(c, i, names[i], SAC_CHECK_IN, 1, SAC_MODE_BGR);
        c->arg[i].row = 3 * W;
        c->arg[i].data = c->arg[i].memory = sac_alloc((size_t)W * H, 3);
        st = c->arg[i].data ? sac_array_view(arrays[i], c->arg[i].data, SAC_U8, 3, shape, err)
                            : sac_fail(err, SAC_E_NOMEM, "no memory for three frames");
    }
    if (st == SAC_OK)
        sac_check_frames_fill(c, 1, 2, SAC_MODE_BGR);
    return st;
}

/* Whether two pictures are the same but for a border. */
static bool is_same(const uint8_t *a, const uint8_t *b, int32_t border)
{
    const int64_t n = 3 * (W - 2 * (int64_t)border);
    for (int64_t y = border; y < H - border; y++) {
        const int64_t at = 3 * (y * W + border);
        if (memcmp(a + at, b + at, (size_t)n) != 0)
            return false;
    }
    return true;
}

/* Whether every entry runs, and OpenCV's give the bytes of those before them. */
static bool check(bench *b)
{
    const size_t n = (size_t)W * H * 3;
    uint8_t *before = sac_alloc(n, 1);
    bool ok = before != NULL;
    for (int32_t i = 0; ok && i < b->n_entries; i++) {
        const entry *e = &b->entry[i];
        memset(b->frames.out.data, 0xA5, n);
        ok = e->run(e, &b->frames) &&
             (e->against == i || is_same(before, b->frames.out.data, e->border));
        if (!ok)
            cli_fail("%s: it failed, or its picture is another", e->name);
        else
            memcpy(before, b->frames.out.data, n);
    }
    sac_free(before);
    return ok;
}

static bool time_all(bench *b, double seconds)
{
    const int64_t end_ns = sac_clock_ns() + (int64_t)(seconds * 1e9);
    bool ok = true;
    while (ok && b->n_rounds < MAX_ROUNDS &&
           (b->n_rounds < MIN_ROUNDS || sac_clock_ns() < end_ns)) {
        for (int32_t i = 0; i < b->n_entries; i++) {
            entry *e = &b->entry[i];
            bench_opencv_threads(e->n_threads);
            for (int k = 0; k < WARM_RUNS; k++)
                ok = e->run(e, &b->frames) && ok;
            const int64_t start_ns = bench_clock_ns(e->n_threads);
            ok = e->run(e, &b->frames) && ok;
            e->ns[b->n_rounds] = bench_clock_ns(e->n_threads) - start_ns;
        }
        b->n_rounds++;
    }
    return ok;
}

static double ratio(const bench *b, const entry *e)
{
    int64_t sorted[MAX_ROUNDS];
    for (int32_t r = 0; r < b->n_rounds; r++)
        sorted[r] = e->ns[r] * 1000000 / b->entry[e->against].ns[r];
    sac_timings_sort(sorted, b->n_rounds);
    return (double)sac_timings_at(sorted, b->n_rounds, 0.5) * 1e-6;
}

static void print(const bench *b)
{
    static const char *const heads[] = {"<", "threads", "median", "p10-p90", "ratio"};
    char load[64];
    cli_table rows;
    printf("1920x1080x3 u8, %d rounds; %s; OpenCV %s\n", b->n_rounds, bench_load(load, sizeof load),
           bench_opencv_version() ? bench_opencv_version() : "is not in this build");
    cli_table_open(&rows, heads, sizeof heads / sizeof heads[0]);
    for (int32_t i = 0; i < b->n_entries; i++) {
        const entry *e = &b->entry[i];
        int64_t sorted[MAX_ROUNDS];
        const int32_t n = b->n_rounds;
        memcpy(sorted, e->ns, (size_t)n * sizeof *sorted);
        sac_timings_sort(sorted, n);
        cli_table_row(&rows);
        cli_table_cell(&rows, 0, "%s", e->name);
        cli_table_cell(&rows, 1, "%d", e->n_threads);
        cli_table_time(&rows, 2, (double)sac_timings_at(sorted, n, 0.5));
        cli_table_spread(&rows, 3, (double)sac_timings_at(sorted, n, 0.1),
                         (double)sac_timings_at(sorted, n, 0.9));
        cli_table_cell(&rows, 4, "%.2f", ratio(b, e));
    }
    cli_table_print(&rows, stdout);
}

/* The 10th percentile of an entry's times. */
static double quick_ns(const bench *b, const entry *e)
{
    int64_t sorted[MAX_ROUNDS];
    memcpy(sorted, e->ns, (size_t)b->n_rounds * sizeof *sorted);
    sac_timings_sort(sorted, b->n_rounds);
    return (double)sac_timings_at(sorted, b->n_rounds, 0.1);
}

enum { AVX2 = 1, LAST = 3, OPENCV = BENCH_N_LEVELS, N_WAYS }; /* levels, and OpenCV */

/* How long a job takes each way; 0: not here. */
static void find_times(double ns[N_WAYS], const bench *b, int32_t job)
{
    for (int32_t i = 0; i < b->n_entries; i++) {
        const entry *e = &b->entry[i];
        if (!strcmp(e->name, b->entry[job].name))
            ns[e->level] = quick_ns(b, e);
        else if (e->level == 0 && e->against == job)
            ns[OPENCV] = quick_ns(b, e);
    }
}

/* A row for each entry of plain C, the same work at other levels beside it, and OpenCV's. */
static void print_levels(const bench *b)
{
    const char *heads[N_WAYS + 3] = {"<"};
    char load[64];
    cli_table rows;
    for (int k = 0; k < BENCH_N_LEVELS; k++)
        heads[k + 1] = bench_level_names[k];
    heads[OPENCV + 1] = "OpenCV";
    heads[N_WAYS + 1] = "OpenCV/AVX2";
    heads[N_WAYS + 2] = "AVX2/VBMI";
    printf("1920x1080x3 u8, one thread, p10 of %d rounds; %s; OpenCV %s\n", b->n_rounds,
           bench_load(load, sizeof load),
           bench_opencv_version() ? bench_opencv_version() : "is not in this build");
    cli_table_open(&rows, heads, N_WAYS + 3);
    for (int32_t i = 0; i < b->n_entries && b->entry[i].level == 0; i++) {
        double ns[N_WAYS] = {0};
        if (b->entry[i].against != i)
            continue;
        find_times(ns, b, i);
        cli_table_row(&rows);
        cli_table_cell(&rows, 0, "%s", b->entry[i].name);
        for (int k = 0; k < N_WAYS; k++)
            if (ns[k] > 0)
                cli_table_time(&rows, k + 1, ns[k]);
        if (ns[AVX2] > 0 && ns[OPENCV] > 0)
            cli_table_cell(&rows, N_WAYS + 1, "%.2f", ns[OPENCV] / ns[AVX2]);
        if (ns[AVX2] > 0 && ns[LAST] > 0)
            cli_table_cell(&rows, N_WAYS + 2, "%.2f", ns[AVX2] / ns[LAST]);
    }
    cli_table_print(&rows, stdout);
}

/* With one thread for each level that this CPU has. */
static sac_status add_levels(bench *b, sac_error *err)
{
    sac_status st = SAC_OK;
    b->is_one_of = true;
    for (b->level = 0; b->level < BENCH_N_LEVELS && st == SAC_OK; b->level++)
        if (bench_use_level(b->level))
            st = bench_motion_add(b, 1, err);
    return st;
}

static int compete(bench *b, const bench_options *o)
{
    sac_error err = {0};
    sac_status st = make_frames(b, &err);
    if (st == SAC_OK)
        st = o->isa == BENCH_ISA_ALL ? add_levels(b, &err) : bench_motion_add(b, 1, &err);
    if (st == SAC_OK && o->isa == BENCH_ISA_BEST)
        st = bench_motion_add(b, 2, &err);
    if (st != SAC_OK)
        return cli_error(&err);
    if (!check(b))
        return CLI_FAILED;
    if (!time_all(b, o->seconds))
        return cli_fail("an entry failed while it was timed");
    if (o->isa == BENCH_ISA_ALL)
        print_levels(b);
    else
        print(b);
    return CLI_DONE;
}

static int run_all(const void *options)
{
    bench_options o = *(const bench_options *)options;
    sac_error err = {0};
    if (*o.operands && sac_param_set(&bench_this.table, &o, "seconds", *o.operands, &err) != SAC_OK)
        return bench_misuse("", err.text);
    if (o.device.kind != SAC_DEVICE_CPU)
        return bench_motion_gpu(o.device);
    bench *b = sac_alloc(1, sizeof *b);
    const int status = b ? compete(b, &o) : cli_fail("no memory for times");
    if (b)
        bench_motion_close(b);
    for (int i = 0; b && i < 3; i++)
        sac_free(b->memory.arg[i].memory);
    sac_free(b);
    return status;
}

const bench_command bench_this = {help, CLI_TABLE("bench_motion", bench_options, params), run_all,
                                  1, FIELD(operands)};
