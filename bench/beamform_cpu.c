/*
 * bench_beamform: a configuration with what is right of it, and the CPU's times.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "beamform_bench.h"
#include "beamform/kernels/das_iq_f32/das_iq_f32.h"
#include "beamform/kernels/das_rf_f32/das_rf_f32.h"

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

/* Adds point `at` of the images, `want` being its values, up. */
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
                          images, sac_das_spot_of(das, block * SAC_DAS_BLOCK + i).index);
    return sqrt(off / all);
}

void bench_open_work(bench_work *w, const bench_case *c, bool thin)
{
    sac_error err = {0};
    bench_open_geometry(w, c);
    if (thin)
        w->desc.grid.n[2] /= c->thin;
    bench_open_data(w);
    bench_must(sac_beamform_open(&w->plan, &w->desc, &err), c->name, &err);
    sac_beamform_get_points(w->plan, &w->all, &w->active);
    pack(w->plan, &w->in);
    compute_reference(w);
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
