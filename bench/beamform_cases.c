/*
 * bench_beamform: its configurations, their data and what is right, and the CPU's times.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "beamform_bench.h"
#include "beamform/kernels/das_iq_f32/das_iq_f32.h"
#include "beamform/kernels/das_rf_f32/das_rf_f32.h"
#include "room/check.h"

#define PI 3.14159265358979323846
#define MATRIX_SIDE 32
#define SOURCES_SIDE 3
#define SOURCE_STEP_M 3e-3 /* between virtual sources, */
#define SOURCE_Z_M -10e-3  /* which lie behind the array */

#define PLANE(x, z0, z1, w, h)                                                                     \
    .grid = {.first_m = {-(x), 0, (z0)}, .last_m = {(x), 0, (z1)}, .n = {(w), 1, (h)}}
#define CONFIGURATION_B                                                                            \
    .dtype = SAC_F32, .n_frames = 1, .n_tx = 3, .n_rx = 128, .n_samples = 8192, .n_together = 3,   \
    .fs_hz = 62.5e6, .fc_hz = 5e6, .c_m_s = 1540, .pitch_m = 300e-6, .angle_rad = 10 * PI / 180,   \
    PLANE(19.05e-3, 5e-3, 95e-3, 256, 1024), .step = 61, .thin = 1

/* Steps are prime, so that blocks lie all over the picture. Published: mach 0.1.3 and ffdas 0.1.1,
 * best of single precision and of half-precision storage, on an H100 80GB HBM3; they compound. */
const bench_case bench_cases[] = {
    {"A",
     "IQ, 1 plane wave x 128 x 334, 32 frames, 251 x 251 points, f/1",
     .dtype = SAC_C64,
     .n_frames = 32,
     .n_tx = 1,
     .n_rx = 128,
     .n_samples = 334,
     .n_together = 1,
     .f_number = 1,
     .fs_hz = 6.6667e6,
     .fc_hz = 5e6,
     .c_m_s = 1480,
     .pitch_m = 298e-6,
     .t0_s = 9.95e-6,
     PLANE(12.5e-3, 10e-3, 35e-3, 251, 251),
     .step = 61,
     .thin = 1,
     .mach_ms = 0.328,
     .ffdas_ms = 0.294,
     .ffdas_half_ms = 0.220},
    {"B", "RF f32, 3 plane waves x 128 x 8192, 256 x 1024 points, all elements, LRIs kept",
     .lri = true, CONFIGURATION_B, .mach_ms = 0.877, .ffdas_ms = 0.214, .ffdas_half_ms = 0.203},
    {"B-compounded", "B, its LRIs summed", CONFIGURATION_B, .mach_ms = 0.877, .ffdas_ms = 0.214,
     .ffdas_half_ms = 0.203},
    {"C",
     "IQ, 75 plane waves x 128 x 2048, 387 x 609 points, f/1.75",
     .dtype = SAC_C64,
     .n_frames = 1,
     .n_tx = 75,
     .n_rx = 128,
     .n_samples = 2048,
     .n_together = 9,
     .f_number = 1.75,
     .fs_hz = 20.832e6,
     .fc_hz = 5.208e6,
     .c_m_s = 1540,
     .pitch_m = 300e-6,
     .angle_rad = 16 * PI / 180,
     PLANE(18e-3, 10e-3, 50e-3, 387, 609),
     .step = 61,
     .thin = 1,
     .mach_ms = 11.9,
     .ffdas_ms = 5.59,
     .ffdas_half_ms = 5.70},
    /* Delays are 150 to 830 samples. */
    {"V", "RF f32, 9 diverging waves x 32 x 32 elements x 1024, 128^3 points, all elements",
     .dtype = SAC_F32, .n_frames = 1, .n_tx = SOURCES_SIDE * SOURCES_SIDE,
     .n_rx = MATRIX_SIDE * MATRIX_SIDE, .n_samples = 1024, .n_together = 9, .matrix = true,
     .fs_hz = 12e6, .fc_hz = 3e6, .c_m_s = 1540, .pitch_m = 300e-6,
     .grid = {.first_m = {-10e-3, -10e-3, 10e-3},
              .last_m = {10e-3, 10e-3, 50e-3},
              .n = {128, 128, 128}},
     .step = 613, .thin = 16},
};
const int32_t bench_n_cases = sizeof bench_cases / sizeof bench_cases[0];

static sac_transmit transmit_of(const bench_case *c, int32_t t)
{
    sac_transmit tx;
    sac_transmit_init(&tx, c->matrix ? SAC_TRANSMIT_DIVERGING : SAC_TRANSMIT_PLANE);
    tx.t0_s = c->t0_s;
    if (c->matrix) {
        tx.source_m[0] = SOURCE_STEP_M * (t % SOURCES_SIDE - SOURCES_SIDE / 2);
        tx.source_m[1] = SOURCE_STEP_M * (t / SOURCES_SIDE - SOURCES_SIDE / 2);
        tx.source_m[2] = SOURCE_Z_M;
    } else if (c->n_tx > 1) {
        tx.azimuth_rad = c->angle_rad * (2.0 * t / (c->n_tx - 1) - 1);
    }
    return tx;
}

void bench_open_geometry(bench_work *w, const bench_case *c)
{
    *w = (bench_work){.c = c};
    w->elements = cli_grow(NULL, 0, (size_t)c->n_rx, sizeof *w->elements);
    if (c->matrix)
        sac_probe_matrix(w->elements, MATRIX_SIDE, MATRIX_SIDE, c->pitch_m, c->pitch_m);
    else
        sac_probe_linear(w->elements, c->n_rx, c->pitch_m, 0, 0);
    for (int32_t t = 0; t < c->n_tx; t++)
        w->transmits[t] = transmit_of(c, t);
    sac_acquisition_init(&w->acquisition);
    w->acquisition.elements = w->elements;
    w->acquisition.transmits = w->transmits;
    w->acquisition.n_elements = c->n_rx;
    w->acquisition.n_transmits = c->n_tx;
    w->acquisition.fs_hz = c->fs_hz;
    w->acquisition.fc_hz = c->fc_hz;
    w->acquisition.c_m_s = c->c_m_s;
    sac_beamform_desc_init(&w->desc);
    w->desc.acquisition = &w->acquisition;
    w->desc.dtype = c->dtype;
    w->desc.n_frames = c->n_frames;
    w->desc.n_samples = c->n_samples;
    w->desc.grid = c->grid;
    w->desc.f_number = c->f_number;
    w->desc.apodization = "rect";
    w->desc.lri = c->lri;
    w->desc.output = SAC_OUTPUT_IQ;
    w->desc.demodulate = c->dtype == SAC_C64 ? SAC_DEMODULATE_AUTO : SAC_DEMODULATE_NO;
    w->desc.tier = SAC_TIER_FP32;
    w->desc.n_threads = 1;
}

void bench_fill_noise(const sac_array *a)
{
    uint64_t random = 1;
    int64_t n = a->dtype == SAC_C64 ? 2 : 1;
    for (int32_t i = 0; i < a->n_dims; i++)
        n *= a->shape[i];
    for (int64_t i = 0; i < n; i++) {
        const int32_t value = (int32_t)(sac_check_random(&random) >> 48) - 32768;
        if (a->dtype == SAC_I16)
            ((int16_t *)a->data)[i] = (int16_t)value;
        else
            ((float *)a->data)[i] = (float)value * 0x1p-15f;
    }
}

/* As a run does it: afterwards the plan's kernel and the reference can be called by themselves. */
static void pack(sac_beamform *plan, const sac_array *in)
{
    const sac_das *das = &plan->das;
    for (int32_t t = 0; t < das->n_tx; t++)
        for (int32_t r = 0; r < das->n_rx; r++)
            plan->pack((char *)plan->packed +
                           (t * das->tx + r * das->rx) * (ptrdiff_t)plan->scalar_size,
                       (const char *)in->data + t * in->stride[1] + r * in->stride[2], das,
                       das->n_frames, in->stride[0], in->stride[3]);
}

static int64_t count_blocks(const sac_das *das)
{
    return (das->n_points + SAC_DAS_BLOCK - 1) / SAC_DAS_BLOCK;
}

static int32_t block_points(const sac_das *das, int64_t block)
{
    const int64_t left = das->n_points - block * SAC_DAS_BLOCK;
    return left < SAC_DAS_BLOCK ? (int32_t)left : SAC_DAS_BLOCK;
}

/* Values of a point, and floats of a block. */
static int64_t count_values(const bench_work *w)
{
    return (int64_t)sac_das_images(&w->plan->das) * w->plan->das.n_frames;
}

static int64_t block_floats(const bench_work *w)
{
    return SAC_DAS_BLOCK * count_values(w) * w->n_parts;
}

static void compute_reference(bench_work *w)
{
    const sac_das *das = &w->plan->das;
    const sac_room *room = w->plan->iq ? &sac_das_iq_f32_room : &sac_das_rf_f32_room;
    const sac_das_fn reference = (sac_das_fn)room->variants[0].fn;
    const int64_t n = count_blocks(das), step = w->c->step;
    w->want = cli_grow(NULL, 0, (size_t)((n + step - 1) / step),
                       (size_t)block_floats(w) * sizeof *w->want);
    for (int64_t i = 0; i < n; i += step)
        reference(w->want + i / step * block_floats(w), das, i * SAC_DAS_BLOCK,
                  block_points(das, i));
}

/* Adds point `at`, `want` being its values, up. */
static void compare_point(double *off, double *all, const bench_work *w, const float *want,
                          const float *images, int64_t at)
{
    const sac_das *das = &w->plan->das;
    for (int64_t k = 0; k < count_values(w); k++) { /* (n_images, n_frames) */
        const int64_t image = k / das->n_frames, frame = k % das->n_frames;
        const int64_t row = frame * sac_das_images(das) + image;
        const float *got = images + (row * das->n_points + at) * w->n_parts;
        for (int32_t i = 0; i < w->n_parts; i++) {
            const double right = (double)want[k * w->n_parts + i], d = (double)got[i] - right;
            *off += d * d;
            *all += right * right;
        }
    }
}

double bench_error(const bench_work *w, const float *images)
{
    const sac_das *das = &w->plan->das;
    double off = 0, all = 0;
    for (int64_t block = 0; block < count_blocks(das); block += w->c->step)
        for (int64_t i = 0; i < block_points(das, block); i++)
            compare_point(&off, &all, w,
                          w->want + block / w->c->step * block_floats(w) +
                              i * count_values(w) * w->n_parts,
                          images, block * SAC_DAS_BLOCK + i);
    return sqrt(off / all);
}

void bench_open_work(bench_work *w, const bench_case *c, bool thin)
{
    sac_error err = {0};
    const int64_t shape[] = {c->n_frames, c->n_tx, c->n_rx, c->n_samples};
    bench_open_geometry(w, c);
    if (thin)
        w->desc.grid.n[2] /= c->thin;
    const int64_t n = shape[0] * shape[1] * shape[2] * shape[3];
    void *data = cli_grow(NULL, 0, (size_t)n, sac_dtype_size(c->dtype));
    bench_must(sac_array_view(&w->in, data, c->dtype, 4, shape, &err), c->name, &err);
    bench_fill_noise(&w->in);
    bench_must(sac_beamform_open(&w->plan, &w->desc, &err), c->name, &err);
    w->n_parts = w->plan->iq ? 2 : 1;
    sac_beamform_get_points(w->plan, &w->all, &w->active);
    pack(w->plan, &w->in);
    compute_reference(w);
}

void bench_close_work(bench_work *w)
{
    sac_beamform_close(&w->plan);
    free(w->in.data);
    free(w->elements);
    free(w->want);
    *w = (bench_work){0};
}

typedef struct cpu_job {
    sac_beamform *plan;
    sac_array in, out;
    float *block;
} cpu_job;

static void run_plan(const void *job)
{
    const cpu_job *j = job;
    bench_must(sac_beamform_run(j->plan, &j->out, &j->in, NULL), "run", NULL);
}

static void run_kernel(const void *job)
{
    const cpu_job *j = job;
    const sac_das *das = &j->plan->das;
    for (int64_t i = 0; i < count_blocks(das); i++)
        j->plan->beamform(j->block, das, i * SAC_DAS_BLOCK, block_points(das, i));
}

/* Of a contiguous array. */
static int64_t array_bytes(const sac_array *a)
{
    return a->shape[0] * a->stride[0];
}

static void cpu_row(bench *b, const bench_work *w, const cpu_job *j, const char *what,
                    sac_tier tier, void (*call)(const void *job))
{
    bench_row row = {.work = w, .device = "cpu", .is_das = true, .error = -1};
    const int32_t n = sac_pool_threads(j->plan->pool);
    snprintf(row.what, sizeof row.what, "%s, %d thread%s", what, n, n > 1 ? "s" : "");
    snprintf(row.rung, sizeof row.rung, "%s", sac_beamform_get_variant(j->plan));
    call(j); /* to warm up */
    bench_time_calls(&row, call, j, b->options->seconds);
    if (call == run_plan) {
        row.error = bench_error(w, j->out.data);
        bench_judge(b, &row, tier);
        row.memory_ns = 1e9 * (double)(array_bytes(&j->in) + array_bytes(&j->out)) / b->copy_b_s;
    }
    bench_report(b, &row);
}

void bench_cpu(bench *b, const bench_work *w)
{
    sac_error err = {0};
    sac_beamform_desc desc = w->desc;
    const int32_t n_threads = b->options->threads ? b->options->threads : sac_cpu_count();
    cpu_job j = {.plan = w->plan, .in = w->in, .out = sac_beamform_get_output_array(w->plan)};
    j.out.data = cli_grow(NULL, 0, (size_t)(w->plan->das.n_points * count_values(w) * w->n_parts),
                          sizeof(float));
    j.block = cli_grow(NULL, 0, (size_t)block_floats(w), sizeof *j.block);
    cpu_row(b, w, &j, "kernel", SAC_TIER_FP32, run_kernel);
    cpu_row(b, w, &j, "run", SAC_TIER_FP32, run_plan);
    desc.acquisition = &w->acquisition;
    for (int i = n_threads > 1 ? 0 : 1; i < 2; i++) { /* more threads; exact */
        desc.n_threads = i ? 1 : n_threads;
        desc.tier = i ? SAC_TIER_EXACT : SAC_TIER_FP32;
        bench_must(sac_beamform_open(&j.plan, &desc, &err), w->c->name, &err);
        cpu_row(b, w, &j, i ? "run, exact" : "run", (sac_tier)desc.tier, run_plan);
        sac_beamform_close(&j.plan);
    }
    free(j.out.data);
    free(j.block);
}
