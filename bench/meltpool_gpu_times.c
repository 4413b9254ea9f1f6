/*
 * bench_meltpool on a GPU: what is timed, beside the floor and beside copies alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool_gpu.h"

#include "base/clock.h"
#include "command.h"
#include "histogram.h"
#include "meltpool_floor.h"
#include "base/timings.h"

#include <string.h>

/* Nourazar, Booth, Goossens, on an RTX A6000: latency a frame, and most frames/s (32 at once). */
#define A6000_NS 18e3
#define A6000_FPS 222e3

#define SIDE BENCH_SIDE
#define FRAME_BYTES ((size_t)SIDE * SIDE)
#define FLOOR_SHARE 5 /* the floor takes a fifth of the runs */

static void put_latency(bench_gpu *b, const char *what, const char *from, double rate_hz,
                        const sac_histogram *h, bool published)
{
    char text[32] = "as fast as possible";
    if (rate_hz > 0)
        snprintf(text, sizeof text, "%g Hz", rate_hz);
    cli_table_row(&b->latency);
    cli_table_cell(&b->latency, 0, "%s, %s", what, text);
    cli_table_cell(&b->latency, 1, "%s", from);
    bench_histogram_cells(&b->latency, 2, h);
    if (published)
        cli_table_cell(&b->latency, 3 + BENCH_SHARES, "%.1fx",
                       A6000_NS / sac_histogram_get_quantile(h, 0.5));
    cli_json_object(&b->json, NULL);
    cli_json_string(&b->json, "pipeline", "meltpool");
    cli_json_string(&b->json, "what", what);
    cli_json_string(&b->json, "from", from);
    cli_json_string(&b->json, "device", "cuda");
    cli_json_real(&b->json, "rate_hz", rate_hz);
    if (published)
        cli_json_real(&b->json, "published_ns", A6000_NS);
    bench_histogram_json(&b->json, h);
    cli_json_end_object(&b->json);
}

static sac_histogram *new_histogram(void)
{
    sac_error err = {0};
    sac_histogram *h = NULL;
    bench_must(sac_histogram_open(&h, &err), "histogram", &err);
    return h;
}

void bench_gpu_floors(bench_gpu *b)
{
    static const char *const names[] = {"nothing read", "40 x 40 read", "frame read"};
    for (int i = 0; i < 6; i++) {
        const bench_gpu_options *o = &b->options;
        const bench_floor floor = {.kind = (bench_floor_kind)(i % 3),
                                   .device = o->device,
                                   .n = o->runs / FLOOR_SHARE + 1,
                                   .rate_hz = i < 3 ? o->rate_hz : 0,
                                   .frames = b->build.pixels,
                                   .n_frames = b->build.n};
        char what[64];
        sac_error err = {0};
        sac_histogram *h = new_histogram();
        bench_must(bench_floor_run(h, &floor, &err), "the floor", &err);
        snprintf(what, sizeof what, "floor, %s", names[i % 3]);
        put_latency(b, what, "pinned ring", floor.rate_hz, h, false);
        sac_histogram_close(&h);
    }
}

static sac_array frames_at(uint8_t *pixels, int64_t n, int32_t n_dims, sac_device device)
{
    const int64_t shape[] = {n, SIDE, SIDE};
    sac_array a;
    sac_error err = {0};
    bench_must(sac_array_view(&a, pixels, SAC_U8, n_dims, shape + 3 - n_dims, &err), "frames",
               &err);
    a.device = device;
    return a;
}

/* A frame is in its slot before it is due, as where a camera's driver puts it there. */
static void time_runs(bench_gpu *b, double rate_hz, int32_t n, uint8_t *ring, const char *from)
{
    const bench_build *build = &b->build;
    sac_histogram *h = new_histogram();
    sac_meltpool_record record;
    int64_t begin = 0;
    sac_meltpool_reset(b->plan);
    for (int64_t k = 0; k < BENCH_WARM + (int64_t)n; k++) {
        const int64_t i = k % build->n;
        uint8_t *slot = ring + (size_t)(k % BENCH_SLOTS) * FRAME_BYTES;
        memcpy(slot, build->pixels + (size_t)i * FRAME_BYTES, FRAME_BYTES);
        const sac_array frame = frames_at(slot, 1, 2, (sac_device){0});
        const int64_t due = bench_await_due(&begin, k, rate_hz);
        const sac_status status =
            sac_meltpool_run(b->plan, &record, &frame, &build->signals[i], NULL);
        const int64_t took = sac_clock_ns() - due;
        bench_must(status, "a frame", NULL);
        bench_gpu_compare(b, &b->want[i], &record, 1, false);
        if (k >= BENCH_WARM && build->signals[i].laser_on)
            sac_histogram_record(h, took);
    }
    put_latency(b, "meltpool", from, rate_hz, h, true);
    sac_histogram_close(&h);
}

void bench_gpu_latencies(bench_gpu *b)
{
    const bench_gpu_options *o = &b->options;
    time_runs(b, o->rate_hz, o->runs, b->ring, "pinned ring");
    time_runs(b, 0, o->runs, b->ring, "pinned ring");
    time_runs(b, 0, o->runs / FLOOR_SHARE + 1, b->build.ring, "ordinary ring");
}

static void put_batches(bench_gpu *b, const char *from, int32_t n, double ns, double copy_ns)
{
    const double rate = 1e9 / ns;
    cli_table_row(&b->batch);
    cli_table_cell(&b->batch, 0, "%d", n);
    cli_table_cell(&b->batch, 1, "%s", from);
    cli_table_time(&b->batch, 2, ns);
    cli_table_cell(&b->batch, 3, "%.0f", rate);
    if (copy_ns > 0) {
        cli_table_cell(&b->batch, 4, "%.2f", copy_ns / ns);
        cli_table_cell(&b->batch, 5, "%.1fx", rate / A6000_FPS);
    }
    cli_json_object(&b->json, NULL);
    cli_json_string(&b->json, "pipeline", "meltpool");
    cli_json_string(&b->json, "what", copy_ns > 0 ? "batches" : "copies");
    cli_json_string(&b->json, "from", from);
    cli_json_string(&b->json, "device", "cuda");
    cli_json_int(&b->json, "batch", n);
    cli_json_real(&b->json, "median_ns", ns);
    cli_json_real(&b->json, "frames_s", rate);
    if (copy_ns > 0) {
        cli_json_real(&b->json, "copy_ns", copy_ns);
        cli_json_real(&b->json, "a6000_frames_s", A6000_FPS);
    }
    cli_json_end_object(&b->json);
}

/* All frames in batches of n; returns ns. */
static int64_t pass(bench_gpu *b, uint8_t *pixels, sac_device device, int32_t n)
{
    const int32_t all = b->options.batched;
    sac_meltpool_reset(b->plan);
    const int64_t begin = sac_clock_ns();
    for (int32_t at = 0; at < all; at += n) {
        const int32_t count = all - at < n ? all - at : n;
        const sac_array frames = frames_at(pixels + (size_t)at * FRAME_BYTES, count, 3, device);
        bench_must(sac_meltpool_run_batch(b->plan, b->got + at, &frames, b->signals + at, NULL),
                   "a batch", NULL);
    }
    return sac_clock_ns() - begin;
}

/* The same bytes in pieces of n frames to the device, and nothing else. */
static int64_t copy(bench_gpu *b, int32_t n)
{
    const int32_t all = b->options.batched;
    const sac_gpu_stream stream = sac_gpu_main_stream(b->gpu);
    bench_must(sac_gpu_enter(b->gpu), "device", NULL);
    const int64_t begin = sac_clock_ns();
    for (int32_t at = 0; at < all; at += n) {
        const int32_t count = all - at < n ? all - at : n;
        const size_t from = (size_t)at * FRAME_BYTES, bytes = (size_t)count * FRAME_BYTES;
        bench_must(sac_gpu_copy(b->on_device + from, b->pinned + from, bytes, stream), "copy",
                   NULL);
    }
    bench_must(sac_gpu_wait(stream), "copy", NULL);
    const int64_t ns = sac_clock_ns() - begin;
    sac_gpu_leave(b->gpu);
    return ns;
}

static double median_a_frame(const bench_gpu *b)
{
    sac_timings_sort(b->ns, b->options.passes);
    return (double)sac_timings_at(b->ns, b->options.passes, 0.5) / b->options.batched;
}

static double time_copies(bench_gpu *b, int32_t n)
{
    (void)copy(b, n);
    for (int32_t i = 0; i < b->options.passes; i++)
        b->ns[i] = copy(b, n);
    const double ns = median_a_frame(b);
    put_batches(b, "pinned, copied alone", n, ns, 0);
    return ns;
}

static void time_batches(bench_gpu *b, const char *from, uint8_t *pixels, sac_device device,
                         int32_t n, double copy_ns)
{
    (void)pass(b, pixels, device, n);
    bench_gpu_compare(b, b->want, b->got, b->options.batched, true);
    for (int32_t i = 0; i < b->options.passes; i++)
        b->ns[i] = pass(b, pixels, device, n);
    put_batches(b, from, n, median_a_frame(b), copy_ns);
}

void bench_gpu_batches(bench_gpu *b)
{
    static const int32_t sizes[] = {1, 32, 512, 4096, 131072};
    const sac_device cpu = {0};
    double copy_ns = 1e300;
    for (int i = 0; i < 5 && sizes[i] <= b->options.batched; i++) {
        const double ns = time_copies(b, sizes[i]);
        copy_ns = ns < copy_ns ? ns : copy_ns;
    }
    for (int i = 0; i < 5 && sizes[i] <= b->options.batched; i++)
        time_batches(b, "device", b->on_device, b->options.device, sizes[i], copy_ns);
    for (int i = 0; i < 5 && sizes[i] <= b->options.batched; i++)
        time_batches(b, "pinned", b->pinned, cpu, sizes[i], copy_ns);
}
