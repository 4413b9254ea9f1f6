/*
 * bench_beamform: delay-and-sum's kernels on a GPU and the packing before them, single launches one
 * after another on inputs that the L2 cache does not hold, against bounds of the hardware.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform_gpu.h"

#include <stdlib.h>
#include <string.h>

#include <saccade/measure.h>

#include "base/clock.h"
#include "beamform_bench.h"
#include "beamform/kernels/signal_cuda.h"

#define MAX_COPIES 64
#define L2_TIMES 4 /* what inputs take in turn, over the L2 cache */
#define MIN_LAUNCHES 21
#define WARM_NS 2e8    /* until clocks are up */
#define COUNTED_NS 3e6 /* while clocks are counted */

/*
 * Instructions of a warp for 32 active points (of a frame, of an element, of a transmit), counted
 * in the source of the inner loops; NOTES.md of src/beamform has them one by one.
 */
#define FRAMES_IQ 10.5 /* both taps of 32 frames, where four neighbours take the same samples */
#define TENSOR_IQ 4.6  /* the same, where eight neighbours' taps lie in one window */
#define SAMPLE_RF 11.0 /* a transmit's: place 6, loads 2, interpolation and sum 3 */
#define SAMPLE_IQ 16.0 /* place 6, loads 2, complex interpolation 4 and sum 4 */
#define RECEIVED 9.0   /* an element's delay, for all transmits at a time, in single precision */
#define RECEIVED_DOUBLE 15.0
#define RECEIVED_OFF_LINE 4.0 /* more, where elements lie anywhere */
#define ROTATION 10.0         /* more of IQ */
#define SCHEDULERS 4.0        /* instructions a cycle of a multiprocessor */

/* Bytes of an active point through the L1 cache and shared memory, which give 128 a cycle. */
#define L1_BYTES 128.0
#define FRAMES_BYTES 8.0 /* a quarter of two samples, and as much of weights and places */
#define TENSOR_BYTES 4.9 /* half a sample, and shuffles */

typedef struct gpu_job {
    bench_gpu *g;
    const bench_work *w;
    sac_das_cuda run;
    sac_das_cuda_strides from; /* of raw data */
    void *geometry;
    int32_t size, n_copies; /* bytes of a sample */
    bool is_half;           /* packed in half precision */
    float *largest;         /* of that: on the device */
    size_t raw_bytes, packed_bytes, out_bytes;
    void *raw[MAX_COPIES], *packed[MAX_COPIES], *out[MAX_COPIES]; /* packed: raw where group is 1 */
    sac_das_cuda_fn beamform;
} gpu_job;

void bench_gpu_must(sac_status status, const char *what)
{
    sac_error err = {0};
    bench_must(status ? sac_fail(&err, status, "the GPU refused or is lost") : SAC_OK, what, &err);
}

void *bench_gpu_memory(bench_gpu *g, size_t bytes)
{
    sac_error err = {0};
    void *memory = NULL;
    bench_must(sac_gpu_alloc(g->gpu, &memory, bytes, &err), "memory", &err);
    return memory;
}

void *bench_gpu_pinned(bench_gpu *g, size_t bytes)
{
    sac_error err = {0};
    void *memory = NULL;
    bench_must(sac_gpu_alloc_pinned(g->gpu, &memory, bytes, &err), "memory", &err);
    return memory;
}

bench_gpu *bench_open_gpu(const bench *b, int32_t index)
{
    sac_error err = {0};
    sac_bandwidth copy;
    bench_gpu *g = cli_grow(NULL, 0, 1, sizeof *g);
    g->info.struct_size = sizeof g->info;
    bench_must(sac_gpu_describe(&g->info, index, &err), "bench_beamform", &err);
    bench_must(sac_measure_gpu_bandwidth(&copy, index, &err), "bench_beamform", &err);
    g->copy_b_s = copy.dram_b_s;
    bench_must(sac_gpu_open(&g->gpu, index, &err), "bench_beamform", &err);
    bench_gpu_must(sac_gpu_enter(g->gpu), "device");
    g->stream = sac_gpu_main_stream(g->gpu);
    for (int i = 0; i <= BENCH_MAX_RUNS; i++)
        bench_gpu_must(sac_gpu_event_open(g->gpu, &g->event[i]), "event");
    g->cycles_ns = bench_gpu_memory(g, 2 * sizeof *g->cycles_ns);
    fprintf(b->text,
            "cuda:%d: %s, %d multiprocessors, memory copied at %.0f GB/s read plus written\n",
            index, g->info.name, g->info.n_multiprocessors, g->copy_b_s * 1e-9);
    return g;
}

void bench_close_gpu(bench_gpu *g)
{
    if (!g)
        return;
    for (int i = 0; i <= BENCH_MAX_RUNS; i++)
        sac_gpu_event_close(&g->event[i]);
    sac_gpu_free(g->gpu, g->cycles_ns);
    sac_gpu_leave(g->gpu);
    sac_gpu_close(&g->gpu);
    free(g);
}

static void launch_kernel(const gpu_job *j, int32_t copy)
{
    sac_das_cuda run = j->run;
    run.data = j->packed[copy];
    bench_gpu_must(j->beamform(j->g->stream, NULL, j->out[copy], &run), "beamform");
}

static void launch_pack(const gpu_job *j, int32_t copy)
{
    const int32_t n_frames = j->run.das.n_frames;
    const int64_t n = (int64_t)j->raw_bytes / j->size;
    sac_status status = SAC_OK;
    if (j->is_half)
        status = sac_maximum_f32_cuda(j->g->stream, j->largest, j->raw[copy], true, 1, n);
    if (status == SAC_OK && j->is_half)
        status = sac_das_cuda_pack_half(j->g->stream, j->packed[copy], j->raw[copy], &j->from,
                                        &j->run, n_frames);
    else if (status == SAC_OK)
        status = sac_das_cuda_pack(j->g->stream, j->packed[copy], j->raw[copy], &j->from, &j->run,
                                   n_frames, j->size, j->size);
    bench_gpu_must(status, "pack");
}

/* Launches until clocks are up; nanoseconds of a launch, about. */
static double warm_up(const gpu_job *j, void (*launch)(const gpu_job *j, int32_t copy))
{
    bench_gpu *g = j->g;
    double ns = 0;
    const int64_t began = sac_clock_ns();
    do {
        bench_gpu_must(sac_gpu_event_record(g->event[0], g->stream), "event");
        for (int32_t i = 0; i < j->n_copies; i++)
            launch(j, i);
        bench_gpu_must(sac_gpu_event_record(g->event[1], g->stream), "event");
        bench_gpu_must(sac_gpu_event_elapsed(&ns, g->event[0], g->event[1]), "event");
    } while ((double)(sac_clock_ns() - began) < WARM_NS);
    return ns / j->n_copies;
}

/* An event between each two launches: the device never waits for the host. */
static void time_launches(bench_row *row, const gpu_job *j, double seconds,
                          void (*launch)(const gpu_job *j, int32_t copy))
{
    bench_gpu *g = j->g;
    int64_t ns[BENCH_MAX_RUNS];
    const double wanted = seconds * 1e9 / warm_up(j, launch);
    const int32_t n = wanted < MIN_LAUNCHES     ? MIN_LAUNCHES
                      : wanted > BENCH_MAX_RUNS ? BENCH_MAX_RUNS
                                                : (int32_t)wanted;
    bench_gpu_must(sac_gpu_event_record(g->event[0], g->stream), "event");
    for (int32_t i = 0; i < n; i++) {
        launch(j, i % j->n_copies);
        bench_gpu_must(sac_gpu_event_record(g->event[i + 1], g->stream), "event");
    }
    for (int32_t i = 0; i < n; i++) {
        double all = 0;
        bench_gpu_must(sac_gpu_event_elapsed(&all, g->event[i], g->event[i + 1]), "event");
        ns[i] = (int64_t)all;
    }
    bench_take_times(row, ns, n);
}

/* Clocks a second while launches of about `ns` each follow each other. */
static double measure_clock(const gpu_job *j, double ns,
                            void (*launch)(const gpu_job *j, int32_t copy))
{
    bench_gpu *g = j->g;
    int64_t cycles_ns[2];
    const sac_gpu_stream beside = sac_gpu_copy_stream(g->gpu);
    bench_gpu_must(bench_count_cycles(beside, g->cycles_ns, (int64_t)COUNTED_NS), "clock");
    for (int32_t i = 0; i < 1 + (int32_t)(COUNTED_NS / ns); i++)
        launch(j, i % j->n_copies);
    bench_gpu_must(sac_gpu_wait(g->stream), "clock");
    bench_gpu_must(sac_gpu_copy(cycles_ns, g->cycles_ns, sizeof cycles_ns, beside), "clock");
    bench_gpu_must(sac_gpu_wait(beside), "clock");
    return 1e9 * (double)cycles_ns[0] / (double)cycles_ns[1];
}

/* What `active` points cost the issue slots and the L1 cache. */
static void set_bounds(bench_row *row, const gpu_job *j, bool is_single)
{
    const bench_case *c = j->w->c;
    const bool iq = j->w->plan->iq, packed = j->run.group > 1;
    const int32_t passes = (c->n_tx + c->n_together - 1) / c->n_together;
    const double active = (double)j->w->active, n = j->g->info.n_multiprocessors;
    double received = is_single ? RECEIVED : RECEIVED_DOUBLE;
    received += (c->matrix ? RECEIVED_OFF_LINE : 0) + (iq ? ROTATION : 0);
    const double single = (iq ? SAMPLE_IQ : SAMPLE_RF) + received * passes / c->n_tx;
    const double instructions = j->is_half ? TENSOR_IQ : packed ? FRAMES_IQ : single;
    const double bytes = j->is_half ? TENSOR_BYTES : packed ? FRAMES_BYTES : 2.0 * j->size;
    row->issue_ns = 1e9 * active / 32 * instructions / (n * SCHEDULERS * row->clock_hz);
    row->l1_ns = 1e9 * active * bytes / (n * L1_BYTES * row->clock_hz);
}

static bench_row row_of(const gpu_job *j)
{
    bench_row row = {.work = j->w, .error = -1};
    snprintf(row.device, sizeof row.device, "cuda:%d", j->g->info.index);
    return row;
}

static void report_kernel(bench *b, gpu_job *j, const char *name, sac_tier tier, float *images)
{
    static const char *const tiers[] = {"exact", "fp32", "fast"};
    bench_row row = row_of(j);
    row.is_das = row.has_peers = true;
    row.is_half = tier == SAC_TIER_FAST;
    snprintf(row.what, sizeof row.what, "kernel, %s (%s)", tiers[tier], name);
    snprintf(row.rung, sizeof row.rung, "%s:%s", j->w->plan->iq ? "das_iq_f32" : "das_rf_f32",
             name);
    /* Not numbers, so that what a kernel leaves out is seen. */
    bench_gpu_must(sac_gpu_set(j->out[0], 0xff, j->out_bytes, j->g->stream), "set");
    time_launches(&row, j, b->options->seconds, launch_kernel);
    row.clock_hz = measure_clock(j, row.median_ns, launch_kernel);
    set_bounds(&row, j, !strcmp(name, "points-single"));
    row.memory_ns = 1e9 * (double)(j->packed_bytes + j->out_bytes) / j->g->copy_b_s;
    bench_gpu_must(sac_gpu_copy(images, j->out[0], j->out_bytes, j->g->stream), "copy");
    bench_gpu_must(sac_gpu_wait(j->g->stream), "copy");
    row.error = bench_error(j->w, images);
    bench_report(b, &row);
}

static void time_packing(bench *b, const gpu_job *j)
{
    bench_row row = row_of(j);
    snprintf(row.what, sizeof row.what, "pack, %s",
             j->is_half ? "halves, and their scale" : "exact");
    snprintf(row.rung, sizeof row.rung, "%s:cuda", j->size == 8 ? "pack_c64" : "pack_f32");
    time_launches(&row, j, b->options->seconds, launch_pack);
    row.memory_ns = 1e9 * (double)(j->raw_bytes + j->packed_bytes) / j->g->copy_b_s;
    bench_report(b, &row);
}

/* The tier's layout, and the data in it. */
static void open_layout(gpu_job *j, sac_tier tier)
{
    const sac_das *das = &j->w->plan->das;
    j->is_half = sac_das_cuda_takes_half(das, j->size, tier);
    j->run.largest = j->is_half ? j->largest : NULL;
    const int32_t group = j->is_half ? SAC_DAS_HALF_GROUP : sac_das_cuda_group(das, j->size);
    const int64_t n = sac_das_cuda_pack_layout(&j->run, group);
    j->packed_bytes = (size_t)n * (size_t)j->size;
    if (j->is_half) /* and a sample of a group behind it */
        j->packed_bytes = (size_t)(n + group) * (size_t)j->size / 2;
    for (int32_t i = 0; i < j->n_copies; i++) {
        j->packed[i] = j->raw[i];
        if (group > 1) {
            j->packed[i] = bench_gpu_memory(j->g, j->packed_bytes);
            launch_pack(j, i);
        }
    }
}

static void close_layout(gpu_job *j)
{
    bench_gpu_must(sac_gpu_wait(j->g->stream), "wait");
    for (int32_t i = 0; i < j->n_copies; i++)
        if (j->packed[i] != j->raw[i])
            sac_gpu_free(j->g->gpu, j->packed[i]);
}

/* Each tier's kernel, where it is another than the tier's before; and each layout's packing. */
static void time_tiers(bench *b, gpu_job *j)
{
    sac_das_cuda_fn before = NULL;
    float *images = cli_grow(NULL, 0, 1, j->out_bytes);
    for (int tier = SAC_TIER_EXACT; tier <= SAC_TIER_FAST; tier++) {
        const char *name;
        open_layout(j, (sac_tier)tier);
        j->beamform = sac_das_cuda_choose(&name, j->run.group, j->size, (sac_tier)tier, j->is_half);
        if (j->beamform != before)
            report_kernel(b, j, name, (sac_tier)tier, images);
        if (j->beamform != before && j->run.group > 1)
            time_packing(b, j);
        before = j->beamform;
        close_layout(j);
    }
    free(images);
}

/* The run, and as many copies of its arrays as the L2 cache holds a part of. */
static void open_job(gpu_job *j)
{
    sac_error err = {0};
    const sac_das *das = &j->w->plan->das;
    const int64_t n_values = das->n_points * sac_das_images(das) * das->n_frames;
    const sac_array *in = &j->w->in;
    j->size = (int32_t)sac_dtype_size(in->dtype);
    bench_must(sac_das_cuda_open(&j->run, &j->geometry, das, j->g->gpu, &err), "open", &err);
    j->raw_bytes = (size_t)(in->shape[0] * in->stride[0]);
    j->out_bytes = (size_t)(n_values * j->w->n_parts) * sizeof(float);
    j->run.out_point = 1;
    j->run.out_image = das->n_points;
    j->run.out_frame = das->n_points * sac_das_images(das);
    j->from = (sac_das_cuda_strides){in->stride[0] / j->size, in->stride[1] / j->size,
                                     in->stride[2] / j->size, 1};
    j->largest = bench_gpu_memory(j->g, sizeof *j->largest);
    /* Halves of the bytes are as many times the cache, too. */
    const uint64_t wanted = 2 + 2 * L2_TIMES * j->g->info.l2_bytes / j->raw_bytes;
    j->n_copies = wanted < MAX_COPIES ? (int32_t)wanted : MAX_COPIES;
    for (int32_t i = 0; i < j->n_copies; i++) {
        j->raw[i] = bench_gpu_memory(j->g, j->raw_bytes);
        j->out[i] = bench_gpu_memory(j->g, j->out_bytes);
        bench_gpu_must(sac_gpu_copy(j->raw[i], in->data, j->raw_bytes, j->g->stream), "copy");
    }
    bench_gpu_must(sac_gpu_wait(j->g->stream), "copy");
}

static void close_job(gpu_job *j)
{
    for (int32_t i = 0; i < j->n_copies; i++) {
        sac_gpu_free(j->g->gpu, j->raw[i]);
        sac_gpu_free(j->g->gpu, j->out[i]);
    }
    sac_gpu_free(j->g->gpu, j->largest);
    sac_gpu_free(j->g->gpu, j->geometry);
}

void bench_on_gpu(bench *b, bench_gpu *g, const bench_work *w)
{
    gpu_job j = {.g = g, .w = w};
    open_job(&j);
    time_tiers(b, &j);
    close_job(&j);
}
