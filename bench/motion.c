/*
 * bench_motion: saccade's heat map, noise view, filters and controls against OpenCV and a copy, in
 * one run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/motion.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "equalize_opencv.h"
#include "motion/kernels/check_frames.h"
#include "motion_gpu.h"
#include "motion_opencv.h"
#include "options.h"
#include "tables.h"
#include "base/timings.h"

#define W 1920
#define H 1080
#define THRESHOLD 20
#define GAIN 1.5 /* with LIFT no sum is halfway between two levels */
#define LIFT 20.25
#define SATURATION 1.7
#define MAX_ENTRIES 64
#define MAX_ROUNDS 4096
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

typedef struct entry entry;

typedef struct frames {
    sac_array out, current, previous; /* (H, W, 3) BGR */
} frames;

struct entry {
    const char *name;
    int level; /* of --isa all */
    int32_t n_threads;
    bool (*run)(const entry *e, const frames *f); /* false: it failed */
    sac_heatmap *heatmap;
    sac_noise *noise;
    sac_denoise *denoise;
    sac_adjust *adjust;
    bench_opencv_filter filter; /* of OpenCV */
    int32_t against;            /* which entry the ratio is to, and whose bytes must come out */
    int32_t border;             /* pixels where they may differ; all of them where it is H */
    int64_t ns[MAX_ROUNDS];
};

typedef struct bench {
    entry entry[MAX_ENTRIES];
    int32_t n_entries, n_rounds;
    int level;      /* of what is added */
    bool is_one_of; /* several levels: OpenCV is added with the first */
    frames frames;
    sac_check_case memory;
} bench;

static bool run_heatmap(const entry *e, const frames *f)
{
    return sac_heatmap_run(e->heatmap, &f->out, &f->current, &f->previous, NULL) == SAC_OK;
}

static bool run_noise(const entry *e, const frames *f)
{
    return sac_noise_run(e->noise, &f->out, &f->current, &f->previous, NULL) == SAC_OK;
}

static bool run_opencv_heatmap(const entry *e, const frames *f)
{
    (void)e;
    return bench_opencv_heatmap(f->out.data, f->current.data, f->previous.data, W, H);
}

static bool run_opencv_noise(const entry *e, const frames *f)
{
    (void)e;
    return bench_opencv_noise(f->out.data, f->current.data, f->previous.data, W, H, THRESHOLD);
}

static bool run_denoise(const entry *e, const frames *f)
{
    return sac_denoise_run(e->denoise, &f->out, &f->current, NULL) == SAC_OK;
}

static bool run_opencv_filter(const entry *e, const frames *f)
{
    return bench_opencv_denoise(f->out.data, f->current.data, W, H, e->filter);
}

static bool run_adjust(const entry *e, const frames *f)
{
    return sac_adjust_run(e->adjust, &f->out, &f->current, NULL) == SAC_OK;
}

static bool run_opencv_levels(const entry *e, const frames *f)
{
    (void)e;
    return bench_opencv_levels(f->out.data, f->current.data, W, H, GAIN, LIFT);
}

static bool run_opencv_colors(const entry *e, const frames *f)
{
    (void)e;
    return bench_opencv_colors(f->out.data, f->current.data, W, H, SATURATION);
}

static bool run_copy(const entry *e, const frames *f)
{
    (void)e;
    memcpy(f->out.data, f->current.data, (size_t)W * H * 3);
    return true;
}

static entry *add(bench *b, const char *name, int32_t n_threads,
                  bool (*run)(const entry *e, const frames *f))
{
    entry *e = &b->entry[b->n_entries++];
    e->name = name;
    e->level = b->level;
    e->n_threads = n_threads;
    e->run = run;
    e->against = b->n_entries - 1;
    return e;
}

static sac_status add_heatmap(bench *b, const char *name, sac_heat_map map, int32_t n_threads,
                              sac_error *err)
{
    sac_heatmap_desc desc;
    sac_heatmap_desc_init(&desc);
    desc.w = W;
    desc.h = H;
    desc.order = SAC_ORDER_BGR;
    desc.map = (int32_t)map;
    desc.n_threads = n_threads;
    return sac_heatmap_open(&add(b, name, n_threads, run_heatmap)->heatmap, &desc, err);
}

static sac_status add_noise(bench *b, const char *name, sac_noise_view view, int32_t n_threads,
                            sac_error *err)
{
    sac_noise_desc desc;
    sac_noise_desc_init(&desc);
    desc.w = W;
    desc.h = H;
    desc.order = SAC_ORDER_BGR;
    desc.view = (int32_t)view;
    desc.threshold = THRESHOLD;
    desc.n_threads = n_threads;
    return sac_noise_open(&add(b, name, n_threads, run_noise)->noise, &desc, err);
}

/* OpenCV's way to what the entry before does. */
static entry *add_opencv(bench *b, const char *name, int32_t n_threads,
                         bool (*run)(const entry *e, const frames *f), int32_t border)
{
    entry *e = add(b, name, n_threads, run);
    e->against = b->n_entries - 2;
    e->border = border;
    return e;
}

static bool has_opencv(const bench *b)
{
    return bench_opencv_version() && (!b->is_one_of || b->level == 0);
}

static const struct {
    const char *name, *opencv;
    sac_denoise_method method;
    int32_t size;
    bench_opencv_filter filter;
    int32_t border;
} filters[] = {
    {"Gaussian 3x3", "OpenCV GaussianBlur 3x3", SAC_DENOISE_GAUSSIAN, 3, BENCH_GAUSSIAN3, 0},
    {"median 3x3", "OpenCV medianBlur 3x3", SAC_DENOISE_MEDIAN, 3, BENCH_MEDIAN3, 1},
    {"median 5x5", "OpenCV medianBlur 5x5", SAC_DENOISE_MEDIAN, 5, BENCH_MEDIAN5, 2},
    {"mean 3x3", "OpenCV blur 3x3", SAC_DENOISE_MEAN, 3, BENCH_MEAN3, 0},
    {"temporal", "OpenCV running average", SAC_DENOISE_TEMPORAL, 3, BENCH_AVERAGE, H},
};

static sac_status add_filters(bench *b, int32_t n_threads, sac_error *err)
{
    sac_status st = SAC_OK;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0] && st == SAC_OK; i++) {
        sac_denoise_desc desc;
        sac_denoise_desc_init(&desc);
        desc.w = W;
        desc.h = H;
        desc.method = (int32_t)filters[i].method;
        desc.size = filters[i].size;
        desc.n_threads = n_threads;
        st =
            sac_denoise_open(&add(b, filters[i].name, n_threads, run_denoise)->denoise, &desc, err);
        if (has_opencv(b))
            add_opencv(b, filters[i].opencv, n_threads, run_opencv_filter, filters[i].border)
                ->filter = filters[i].filter;
    }
    return st;
}

/* Of each sample alone, and with a part of the luma. */
static sac_status add_adjust(bench *b, int32_t n_threads, sac_error *err)
{
    sac_adjust_desc desc;
    sac_adjust_desc_init(&desc);
    desc.w = W;
    desc.h = H;
    desc.order = SAC_ORDER_BGR;
    desc.n_threads = n_threads;
    desc.gain = GAIN;
    desc.brightness = LIFT / 2.55;
    sac_status st =
        sac_adjust_open(&add(b, "adjust, levels", n_threads, run_adjust)->adjust, &desc, err);
    if (has_opencv(b))
        add_opencv(b, "OpenCV convertTo", n_threads, run_opencv_levels, 0);
    desc.gain = 1;
    desc.brightness = 0;
    desc.saturation = SATURATION;
    if (st == SAC_OK)
        st = sac_adjust_open(&add(b, "adjust, colors", n_threads, run_adjust)->adjust, &desc, err);
    if (has_opencv(b))
        add_opencv(b, "OpenCV transform", n_threads, run_opencv_colors, H);
    return st;
}

static sac_status add_entries(bench *b, int32_t n_threads, sac_error *err)
{
    sac_status st = add_heatmap(b, "heat map, sine", SAC_HEAT_SINE, n_threads, err);
    if (st == SAC_OK)
        st = add_heatmap(b, "heat map, turbo", SAC_HEAT_TURBO, n_threads, err);
    if (st == SAC_OK && has_opencv(b))
        add_opencv(b, "OpenCV heat map, turbo", n_threads, run_opencv_heatmap, H);
    if (st == SAC_OK)
        st = add_noise(b, "noise overlay", SAC_NOISE_OVERLAY, n_threads, err);
    if (st == SAC_OK)
        st = add_noise(b, "noise mask", SAC_NOISE_MASK, n_threads, err);
    if (st == SAC_OK && has_opencv(b))
        add_opencv(b, "OpenCV noise mask", n_threads, run_opencv_noise, 0);
    if (st == SAC_OK)
        st = add_filters(b, n_threads, err);
    if (st == SAC_OK)
        st = add_adjust(b, n_threads, err);
    if (st == SAC_OK && n_threads == 1 && !b->is_one_of)
        add(b, "memcpy", 1, run_copy);
    return st;
}

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

/* A row for each entry of plain C, the same work at other levels beside it, and OpenCV's. */
static void print_levels(const bench *b)
{
    const char *heads[BENCH_N_LEVELS + 2] = {"<"};
    char load[64];
    cli_table rows;
    for (int k = 0; k < BENCH_N_LEVELS; k++)
        heads[k + 1] = bench_level_names[k];
    heads[BENCH_N_LEVELS + 1] = "OpenCV";
    printf("1920x1080x3 u8, one thread, p10 of %d rounds; %s\n", b->n_rounds,
           bench_load(load, sizeof load));
    cli_table_open(&rows, heads, BENCH_N_LEVELS + 2);
    for (int32_t i = 0; i < b->n_entries && b->entry[i].level == 0; i++) {
        const entry *e = &b->entry[i];
        if (e->against != i) {
            cli_table_time(&rows, BENCH_N_LEVELS + 1, quick_ns(b, e));
            continue;
        }
        cli_table_row(&rows);
        cli_table_cell(&rows, 0, "%s", e->name);
        for (int32_t k = 0; k < b->n_entries; k++)
            if (!strcmp(b->entry[k].name, e->name))
                cli_table_time(&rows, b->entry[k].level + 1, quick_ns(b, &b->entry[k]));
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
            st = add_entries(b, 1, err);
    return st;
}

static int compete(bench *b, const bench_options *o)
{
    sac_error err = {0};
    sac_status st = make_frames(b, &err);
    if (st == SAC_OK)
        st = o->isa == BENCH_ISA_ALL ? add_levels(b, &err) : add_entries(b, 1, &err);
    if (st == SAC_OK && o->isa == BENCH_ISA_BEST)
        st = add_entries(b, 2, &err);
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
    for (int32_t i = 0; b && i < b->n_entries; i++) {
        sac_heatmap_close(&b->entry[i].heatmap);
        sac_noise_close(&b->entry[i].noise);
        sac_denoise_close(&b->entry[i].denoise);
        sac_adjust_close(&b->entry[i].adjust);
    }
    for (int i = 0; b && i < 3; i++)
        sac_free(b->memory.arg[i].memory);
    sac_free(b);
    return status;
}

const bench_command bench_this = {help, CLI_TABLE("bench_motion", bench_options, params), run_all,
                                  1, FIELD(operands)};
