/*
 * bench_batch: frames of configuration C shared among GPUs by sac_batch, from page-locked memory to
 * page-locked memory, beside copies of the same bytes alone, by all GPUs at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/batch.h>
#include <saccade/beamform.h>
#include <saccade/recording.h>

#include "gpu/gpu.h"
#include "json.h"
#include "options.h"
#include "tables.h"

enum { ELEMENTS = 128, WAVES = 75, SAMPLES = 2048, X = 387, Z = 609 };

static const char help[] =
    "bench_batch: beamforms frames of configuration C (IQ, 75 plane waves x 128 x 2048, 387 x 609\n"
    "points, f/1.75) on each GPU alone and on all of a set, from page-locked memory and back.\n"
    "\n"
    "Usage: bench_batch [OPTION]...\n"
    "\n"
    "  --device SET   the GPUs (default cuda:all)\n"
    "  --frames N     to beamform in each run (default 512)\n"
    "  --kept N       of them in memory, 161 MB each; they are gone through again and again\n"
    "                 (default 64)\n"
    "  --part N       frames of a part (default 8)\n"
    "  --rounds N     each entry takes its turn N times (default 5)\n"
    "  --json FILE    write every row as JSON, too\n"
    "  -h, --help     this text\n"
    "\n"
    "`copies` moves the samples of all frames to the GPUs, and nothing else, each to its own, all\n"
    "at once: what no run from the CPU's memory can beat.\n"
    "Exit status: 0 done; 1 failed; 2 wrong usage.\n";

typedef struct bench_options {
    size_t struct_size;
    sac_device device;
    int32_t frames, kept, part, rounds;
    const char *json;
} bench_options;

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"device", CLI_DEVICE(device), "SET", ""},
    {"frames", CLI_INT(frames, 1, 1 << 20, 512, ""), "N", ""},
    {"kept", CLI_INT(kept, 1, 4096, 64, ""), "N", ""},
    {"part", CLI_INT(part, 1, 512, 8, ""), "N", ""},
    {"rounds", CLI_INT(rounds, 1, 100, 5, ""), "N", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

typedef struct bench {
    const bench_options *o;
    sac_element elements[ELEMENTS];
    sac_transmit transmits[WAVES];
    sac_acquisition acquisition;
    sac_beamform_desc desc;
    char *samples; /* page-locked, kept frames */
    size_t frame_bytes;
} bench;

/* What one worker has: a plan and an image, or memory of its GPU to copy to. */
typedef struct worker {
    sac_device device;
    sac_beamform *plan;
    sac_array image;
    sac_gpu *gpu;
    void *there;
} worker;

static sac_status open_plan(void *ctx, void **state, sac_device device, sac_error *err)
{
    bench *b = ctx;
    worker *w = cli_grow(NULL, 0, 1, sizeof *w);
    sac_beamform_desc desc = b->desc;
    *w = (worker){.device = device};
    *state = w;
    desc.device = device;
    sac_status st = sac_beamform_open(&w->plan, &desc, err);
    if (st != SAC_OK)
        return st;
    w->image = sac_beamform_get_output_array(w->plan);
    return sac_pinned_alloc(&w->image.data,
                            (size_t)sac_array_count(&w->image) * sac_dtype_size(w->image.dtype),
                            device, err);
}

static void close_plan(void *ctx, void *state)
{
    worker *w = state;
    (void)ctx;
    sac_beamform_close(&w->plan);
    sac_pinned_free(w->image.data, w->device);
    free(w);
}

/* The samples of a part lie one after the other: parts divide what is kept. */
static const char *samples_of(const bench *b, const sac_batch_part *part)
{
    return b->samples + (size_t)(part->first % b->o->kept) * b->frame_bytes;
}

static sac_status beamform(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    const bench *b = ctx;
    worker *w = state;
    sac_array in;
    const int64_t shape[] = {b->o->part, WAVES, ELEMENTS, SAMPLES};
    const sac_status st =
        sac_array_view(&in, (void *)(uintptr_t)samples_of(b, part), SAC_C64, 4, shape, err);
    return st ? st : sac_beamform_run(w->plan, &w->image, &in, err);
}

static sac_status open_copy(void *ctx, void **state, sac_device device, sac_error *err)
{
    const bench *b = ctx;
    worker *w = cli_grow(NULL, 0, 1, sizeof *w);
    *w = (worker){.device = device};
    *state = w;
    const sac_status st = sac_gpu_open(&w->gpu, device.index, err);
    return st ? st : sac_gpu_alloc(w->gpu, &w->there, b->frame_bytes * (size_t)b->o->part, err);
}

static void close_copy(void *ctx, void *state)
{
    worker *w = state;
    (void)ctx;
    sac_gpu_free(w->gpu, w->there);
    sac_gpu_close(&w->gpu);
    free(w);
}

static sac_status copy(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    const bench *b = ctx;
    worker *w = state;
    sac_status st = sac_gpu_enter(w->gpu);
    if (st != SAC_OK)
        return st;
    st = sac_gpu_copy(w->there, samples_of(b, part), b->frame_bytes * (size_t)part->n,
                      sac_gpu_main_stream(w->gpu));
    st = st ? st : sac_gpu_wait(sac_gpu_main_stream(w->gpu));
    sac_gpu_leave(w->gpu);
    return sac_gpu_fail(st, err);
}

static void fill(bench *b)
{
    sac_error err = {0};
    int32_t n = 0;
    sac_probe_linear(b->elements, ELEMENTS, 300e-6, 0, 0);
    bench_must(
        sac_transmits_parse(b->transmits, &n, WAVES, "plane:75:16", b->elements, ELEMENTS, &err),
        "transmits", &err);
    sac_acquisition_init(&b->acquisition);
    b->acquisition.elements = b->elements, b->acquisition.n_elements = ELEMENTS;
    b->acquisition.transmits = b->transmits, b->acquisition.n_transmits = WAVES;
    b->acquisition.fs_hz = 20.832e6, b->acquisition.fc_hz = 5.208e6, b->acquisition.c_m_s = 1540;
    sac_beamform_desc_init(&b->desc);
    b->desc.acquisition = &b->acquisition;
    b->desc.dtype = SAC_C64, b->desc.n_frames = b->o->part, b->desc.n_samples = SAMPLES;
    b->desc.grid = (sac_grid){{-18e-3, 0, 10e-3}, {18e-3, 0, 50e-3}, {X, 1, Z}};
    b->desc.f_number = 1.75, b->desc.output = SAC_OUTPUT_IQ;
    bench_must(sac_param_set(sac_beamform_params(), &b->desc, "apodization", "rect", &err),
               "apodization", &err);
    b->frame_bytes = (size_t)WAVES * ELEMENTS * SAMPLES * 8;
    void *memory;
    bench_must(sac_pinned_alloc(&memory, b->frame_bytes * (size_t)b->o->kept,
                                (sac_device){SAC_DEVICE_CUDA, 0}, &err),
               "page-locked memory", &err);
    b->samples = memory;
    uint32_t x = 1; /* white noise; each frame another part of it */
    float *values = memory;
    for (size_t i = 0; i < b->frame_bytes * (size_t)b->o->kept / sizeof *values; i++) {
        x = x * 1664525 + 1013904223;
        values[i] = (float)(int32_t)x * 0x1p-31F;
    }
}

typedef struct entry {
    char what[32], devices[64];
    sac_batch *batch;
    double *ns; /* (rounds) */
} entry;

static void open_entry(entry *e, bench *b, sac_device device, bool copies)
{
    sac_batch_desc d;
    sac_error err = {0};
    sac_batch_desc_init(&d);
    d.device = device, d.n_items = b->o->frames, d.n_part_items = b->o->part, d.ctx = b;
    d.open = copies ? open_copy : open_plan, d.close = copies ? close_copy : close_plan;
    d.work = copies ? copy : beamform;
    snprintf(e->what, sizeof e->what, "%s", copies ? "copies" : "beamform");
    sac_device_text(device, e->devices, sizeof e->devices);
    bench_must(sac_batch_open(&e->batch, &d, &err), e->devices, &err);
    e->ns = cli_grow(NULL, 0, (size_t)b->o->rounds, sizeof *e->ns);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const bench *b, entry *entries, int n)
{
    cli_json json;
    cli_json_open_rows(&json, 0, b->o->device);
    FILE *text = bench_text(b->o->json);
    fprintf(text, "%-9s %-12s %10s %12s %9s\n", "", "device", "median", "frames/s", "GB/s in");
    for (int i = 0; i < n; i++) {
        char time[16];
        qsort(entries[i].ns, (size_t)b->o->rounds, sizeof(double), compare);
        const double ns = entries[i].ns[b->o->rounds / 2];
        fprintf(text, "%-9s %-12s %10s %12.1f %9.1f\n", entries[i].what, entries[i].devices,
                cli_time_text(time, sizeof time, ns), 1e9 * b->o->frames / ns,
                (double)b->frame_bytes * b->o->frames / ns);
        cli_json_object(&json, NULL);
        cli_json_string(&json, "what", entries[i].what);
        cli_json_string(&json, "device", entries[i].devices);
        cli_json_int(&json, "frames", b->o->frames);
        cli_json_int(&json, "median_ns", (int64_t)ns);
        cli_json_end_object(&json);
    }
    if (b->o->json && cli_json_write(&json, b->o->json) != CLI_DONE)
        exit(CLI_FAILED);
}

static int run(const void *options)
{
    bench b = {.o = options};
    sac_device each[SAC_MAX_DEVICES];
    entry entries[2 * (SAC_MAX_DEVICES + 1)];
    int32_t n, n_entries = 0;
    sac_error err = {0};
    const sac_device set =
        b.o->device.kind == SAC_DEVICE_CPU ? (sac_device){SAC_DEVICE_CUDA_SET, -1} : b.o->device;
    if (b.o->kept % b.o->part || b.o->frames % b.o->part)
        return bench_misuse("--part must divide --kept and --frames", "");
    bench_must(sac_device_list(each, &n, set, &err), "--device", &err);
    fill(&b);
    for (int copies = 0; copies < 2; copies++) {
        for (int32_t i = 0; i < n; i++)
            open_entry(&entries[n_entries++], &b, each[i], copies);
        if (n > 1)
            open_entry(&entries[n_entries++], &b, set, copies);
    }
    for (int round = -1; round < b.o->rounds; round++) /* the first warms up */
        for (int32_t i = 0; i < n_entries; i++) {
            const int64_t start_ns = cli_clock_ns();
            bench_must(sac_batch_run(entries[i].batch, &err), entries[i].what, &err);
            if (round >= 0)
                entries[i].ns[round] = (double)(cli_clock_ns() - start_ns);
        }
    report(&b, entries, n_entries);
    for (int32_t i = 0; i < n_entries; i++) {
        sac_batch_close(&entries[i].batch);
        free(entries[i].ns);
    }
    sac_pinned_free(b.samples, (sac_device){SAC_DEVICE_CUDA, 0});
    return CLI_DONE;
}

const bench_command bench_this = {help, CLI_TABLE("bench_batch", bench_options, params), run};
