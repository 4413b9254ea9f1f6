/*
 * bench_meltpool on a GPU: the frames, the CPU's records of them, and the report.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "command.h"
#include "histogram.h"

#define SIDE BENCH_SIDE
#define FRAME_BYTES ((size_t)SIDE * SIDE)

static const char *const latency_heads[] = {"<one frame", "<from", BENCH_SHARE_HEADS, "A6000"};
static const char *const batch_heads[] = {"<batches of", "<from",      "a frame",
                                          "frames/s",    "of copying", "A6000"};

void bench_gpu_compare(bench_gpu *b, const sac_meltpool_record *want,
                       const sac_meltpool_record *got, int32_t n, bool all)
{
    for (int32_t i = 0; i < n; i++) {
        const char *what = NULL;
        if (memcmp(want[i].features, got[i].features,
                   SAC_MELTPOOL_OF_FRAME * sizeof *want->features) != 0)
            what = "features 0..19";
        else if (all)
            what = sac_meltpool_scene_differs(&want[i], &got[i], &b->of.model);
        if (what && b->n_different++ == 0)
            (void)cli_fail("frame with counter %d: %s differ from the CPU's",
                           want[i].signals.counter, what);
    }
    b->n_compared += n;
}

/* The build again and again, as one stream, by a plan on the CPU. */
static void run_on_cpu(bench_gpu *b)
{
    const bench_build *build = &b->build;
    sac_error err = {0};
    sac_meltpool *cpu = NULL;
    sac_meltpool_desc desc = b->of.desc;
    desc.device = (sac_device){0};
    desc.n_threads = 0;
    bench_must(sac_meltpool_open(&cpu, &desc, &err), "the CPU's plan", &err);
    for (int32_t at = 0; at < b->options.batched; at += build->n) {
        const int32_t left = b->options.batched - at, n = left < build->n ? left : build->n;
        const int64_t shape[] = {n, SIDE, SIDE};
        sac_array frames;
        memcpy(b->signals + at, build->signals, (size_t)n * sizeof *b->signals);
        memcpy(b->pinned + (size_t)at * FRAME_BYTES, build->pixels, (size_t)n * FRAME_BYTES);
        bench_must(sac_array_view(&frames, build->pixels, SAC_U8, 3, shape, &err), "frames", &err);
        bench_must(sac_meltpool_run_batch(cpu, b->want + at, &frames, build->signals, NULL),
                   "the CPU's records", NULL);
    }
    sac_meltpool_close(&cpu);
}

static void *pinned(const bench_gpu *b, size_t n_frames)
{
    void *memory = NULL;
    sac_error err = {0};
    bench_must(sac_pinned_alloc(&memory, n_frames * FRAME_BYTES, b->options.device, &err),
               "page-locked memory", &err);
    return memory;
}

/* All memory, and frames in each kind of it. */
static void open_frames(bench_gpu *b)
{
    const bench_gpu_options *o = &b->options;
    const size_t n = (size_t)o->batched, bytes = n * FRAME_BYTES;
    const sac_gpu_stream stream = sac_gpu_main_stream(b->gpu);
    sac_error err = {0};
    void *memory = NULL;
    bench_open_build(&b->build, o->frames, 0);
    b->signals = cli_grow(NULL, 0, n, sizeof *b->signals);
    b->want = cli_grow(NULL, 0, n, sizeof *b->want);
    b->got = cli_grow(NULL, 0, n, sizeof *b->got);
    b->ns = cli_grow(NULL, 0, (size_t)o->passes, sizeof *b->ns);
    b->ring = pinned(b, BENCH_SLOTS);
    b->pinned = pinned(b, n);
    run_on_cpu(b);
    bench_must(sac_gpu_alloc(b->gpu, &memory, bytes, &err), "device memory", &err);
    b->on_device = memory;
    bench_must(sac_gpu_enter(b->gpu), "device", NULL);
    bench_must(sac_gpu_copy(memory, b->pinned, bytes, stream), "copy", NULL);
    bench_must(sac_gpu_wait(stream), "copy", NULL);
    sac_gpu_leave(b->gpu);
}

static void close_all(bench_gpu *b)
{
    sac_meltpool_close(&b->plan);
    sac_pinned_free(b->ring, b->options.device);
    sac_pinned_free(b->pinned, b->options.device);
    sac_gpu_free(b->gpu, b->on_device);
    sac_gpu_close(&b->gpu);
    bench_close_build(&b->build);
    free(b->signals);
    free(b->want);
    free(b->got);
    free(b->ns);
}

static int finish(bench_gpu *b)
{
    const bench_gpu_options *o = &b->options;
    if (bench_prints(o->json)) {
        char cpu[128];
        sac_gpu_info info = {.struct_size = sizeof info, .name = "?"};
        (void)!sac_gpu_describe(&info, o->device.index, NULL);
        printf("%s; %s, %d cores; %d runs at %g Hz, %d passes of %d frames\n", info.name,
               sac_cpu_model(cpu, sizeof cpu), sac_cpu_count(), o->runs, o->rate_hz, o->passes,
               o->batched);
        printf("%s\n", sac_meltpool_get_variant(b->plan));
        cli_table_print(&b->latency, stdout);
        puts("");
        cli_table_print(&b->batch, stdout);
        printf("\n%lld records compared with the CPU's, %lld differ\n", (long long)b->n_compared,
               (long long)b->n_different);
    }
    const int status = cli_json_end(&b->json, o->json);
    return b->n_different > 0 ? CLI_FAILED : status;
}

int bench_meltpool_gpu(const bench_gpu_options *options)
{
    static bench_gpu b;
    sac_error err = {0};
    b.options = *options;
    if (b.options.batched < b.options.frames)
        b.options.batched = b.options.frames;
    bench_must(sac_gpu_open(&b.gpu, options->device.index, &err), "bench_meltpool", &err);
    sac_meltpool_scene_plan_init(&b.of);
    b.of.desc.device = options->device;
    open_frames(&b);
    cli_table_open(&b.latency, latency_heads, sizeof latency_heads / sizeof *latency_heads);
    cli_table_open(&b.batch, batch_heads, sizeof batch_heads / sizeof *batch_heads);
    cli_json_open_rows(&b.json, 0, options->device);
    bench_gpu_floors(&b);
    bench_must(sac_meltpool_open(&b.plan, &b.of.desc, &err), "bench_meltpool", &err);
    bench_gpu_latencies(&b);
    bench_gpu_batches(&b);
    const int status = finish(&b);
    close_all(&b);
    return status;
}
