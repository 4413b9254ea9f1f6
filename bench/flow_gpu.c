/*
 * bench_flow on a GPU: runs of arrays in three kinds of memory, and the steps by themselves.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "command.h"
#include "flow/gpu_plan.h"
#include "flow_bench.h"
#include "options.h"

typedef struct gpu_call {
    sac_flow *plan;
    sac_array in, out;
    sac_eigen_cuda_work eigen;
} gpu_call;

static void wait_for(const gpu_call *c, sac_status status)
{
    const sac_status waited = sac_gpu_wait(c->plan->gpu->stream);
    bench_must(status ? status : waited, "step", NULL);
}

static void run_plan(void *arg)
{
    const gpu_call *c = arg;
    bench_must(sac_flow_run(c->plan, &c->out, &c->in, NULL), "run", NULL);
}

static void multiply(void *arg)
{
    const gpu_call *c = arg;
    const sac_flow_gpu *g = c->plan->gpu;
    const size_t bytes = 2 * (size_t)c->plan->n * (size_t)c->plan->n * sizeof(double);
    sac_status st = sac_gpu_set(g->gram_of, 0, bytes, g->stream);
    st = st ? st
            : sac_gram_c64_cuda(g->stream, g->gram_of, g->parts, c->in.data, c->plan->row,
                                c->plan->n_points, c->plan->n, 0, c->plan->n);
    wait_for(c, st);
}

static void decompose(void *arg)
{
    const gpu_call *c = arg;
    const sac_flow_gpu *g = c->plan->gpu;
    wait_for(c, g->cusolver
                    ? sac_flow_cusolver_run(g->cusolver, g->values, g->vectors, g->gram_of)
                    : sac_eigen_c128_cuda(g->stream, g->values, g->vectors, g->gram_of, &g->eigen));
}

static void factor(void *arg)
{
    const gpu_call *c = arg;
    const sac_flow_gpu *g = c->plan->gpu;
    wait_for(c, sac_eigen_cuda_factor(g->stream, &c->eigen, g->gram_of));
}

static void sweep(void *arg)
{
    const gpu_call *c = arg;
    wait_for(c, sac_eigen_cuda_sweep(c->plan->gpu->stream, &c->eigen));
}

static void filter(const gpu_call *c, int i)
{
    const sac_flow_gpu *g = c->plan->gpu;
    sac_flow_block block = sac_flow_gpu_block(c->plan, c->in.data, g->block);
    sac_mix_job jobs[2];
    const bool is_there = sac_flow_filter_jobs(jobs, c->plan, &block) > i;
    wait_for(c, is_there ? sac_mix_c64_cuda(g->stream, &jobs[i]) : SAC_OK);
}

static void mix(void *arg)
{
    filter(arg, 0);
}

static void mix_back(void *arg)
{
    filter(arg, 1);
}

static void correlate(void *arg)
{
    const gpu_call *c = arg;
    const sac_flow_gpu *g = c->plan->gpu;
    wait_for(c, sac_lag_c64_cuda(g->stream, g->maps, c->plan->n_points * 4, g->frames, g->block * 8,
                                 g->block, c->plan->n, c->plan->desc.kind != SAC_FLOW_POWER));
}

/* The largest difference over the largest value. */
static double difference(const float *a, const float *b, int64_t n)
{
    double most = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
        size = fmax(size, fabs((double)a[i]));
    }
    return most / size;
}

/* With Jacobi on the CPU or, of cuSOLVER, on the GPU. */
static bool compare(const bench_flow *b, const bench_flow_task *task, const gpu_call *on_host)
{
    const int64_t n = sac_array_count(&on_host->out);
    const bool is_jacobi = task->eigen == SAC_FLOW_EIGEN_JACOBI;
    const bench_flow_task other = {task->name, task->filter, task->kind, SAC_FLOW_EIGEN_JACOBI};
    if (is_jacobi && b->options->device_only)
        return true;
    sac_flow *plan =
        bench_flow_open(b, &other, is_jacobi ? on_host->in.device : b->options->device, 0);
    sac_array out = on_host->out;
    int32_t low[2], high;
    gpu_call c = *on_host;
    out.data = cli_grow(NULL, 0, (size_t)n, sizeof(float));
    bench_must(sac_flow_run(plan, &out, &on_host->in, NULL), "run", NULL);
    run_plan(&c);
    (void)sac_flow_get_singular_values(plan, 0, &low[0], &high);
    (void)sac_flow_get_singular_values(on_host->plan, 0, &low[1], &high);
    const double off = difference(out.data, on_host->out.data, n);
    printf("%s: off %s by %.3g of the largest; kept from %d, %d\n", task->name,
           is_jacobi ? "the CPU's" : "Jacobi's", off, low[0], low[1]);
    free(out.data);
    sac_flow_close(&plan);
    return off < 1e-3 && low[0] == low[1];
}

static void time_steps(bench_flow *b, const bench_flow_task *task, gpu_call *c, const char *device)
{
    static const struct {
        const char *name;
        void (*call)(void *arg);
        bool of_svd, of_jacobi;
    } steps[] = {{"  products", multiply, true, false},
                 {"  eigenvectors", decompose, true, false},
                 {"    their factor", factor, true, true},
                 {"    a sweep", sweep, true, true},
                 {"  coefficients", mix, false, false},
                 {"  frames without them", mix_back, false, false},
                 {"  autocorrelation", correlate, false, false}};
    sac_flow_gpu *g = c->plan->gpu;
    const bool svd = sac_flow_is_svd(c->plan), jacobi = svd && !g->cusolver;
    if (!g->frames)
        return;
    bench_must(sac_gpu_enter(g->gpu), "enter", NULL);
    c->eigen = jacobi ? sac_eigen_c128_cuda_parts(&g->eigen) : c->eigen;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if ((svd || !steps[i].of_svd) && (jacobi || !steps[i].of_jacobi))
            bench_flow_row(b, task->name, device, 0, steps[i].name,
                           bench_flow_time(b, steps[i].call, c));
    sac_gpu_leave(g->gpu);
}

int bench_flow_gpu(bench_flow *b, const bench_flow_task *task)
{
    const sac_device cpu = {SAC_DEVICE_CPU, 0}, device = b->options->device;
    char name[32];
    sac_error err = {0};
    const int64_t start = sac_clock_ns();
    gpu_call c = {.plan = bench_flow_open(b, task, device, 0)};
    const int64_t opened = sac_clock_ns();
    if (!c.plan)
        return 0;
    sac_gpu *gpu = c.plan->gpu->gpu;
    const size_t bytes = (size_t)(2 * b->options->frames * b->points) * sizeof(float);
    void *there, *out_there, *pinned;
    snprintf(name, sizeof name, "cuda:%d", device.index);
    bench_flow_row(b, task->name, name, 0, "open, once", (double)(opened - start));
    c.out = sac_flow_get_output_array(c.plan);
    bench_must(sac_gpu_alloc(gpu, &there, bytes, &err), "memory", &err);
    bench_must(sac_gpu_alloc(gpu, &out_there, (size_t)sac_array_count(&c.out) * 4, &err), "memory",
               &err);
    bench_must(sac_gpu_alloc_pinned(gpu, &pinned, bytes, &err), "memory", &err);
    memcpy(pinned, b->iq, bytes);
    c.in = bench_flow_in(b, b->iq, cpu);
    c.out.data = b->out;
    const bool is_same = compare(b, task, &c);
    bench_flow_row(b, task->name, name, 0, "all, from the CPU's memory",
                   bench_flow_time(b, run_plan, &c));
    c.in = bench_flow_in(b, pinned, cpu);
    bench_flow_row(b, task->name, name, 0, "all, from page-locked memory",
                   bench_flow_time(b, run_plan, &c));
    bench_must(sac_gpu_copy(there, pinned, bytes, c.plan->gpu->stream), "copy", NULL);
    bench_must(sac_gpu_wait(c.plan->gpu->stream), "copy", NULL);
    c.in = bench_flow_in(b, there, device);
    c.out.data = out_there;
    c.out.device = device;
    bench_flow_row(b, task->name, name, 0, "all, in device memory",
                   bench_flow_time(b, run_plan, &c));
    time_steps(b, task, &c, name);
    sac_gpu_free(gpu, there);
    sac_gpu_free(gpu, out_there);
    sac_gpu_free_pinned(gpu, pinned);
    sac_flow_close(&c.plan);
    return !is_same;
}
