/*
 * Times of a GPU's work.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu_times.h"

#include <stdlib.h>

#include "base/clock.h"
#include "options.h"

#define WARM_RUNS 2

void bench_gpu_open(bench_gpu *g, int32_t index)
{
    sac_error err = {0};
    bench_must(sac_gpu_open(&g->gpu, index, &err), "open", &err);
    g->stream = sac_gpu_main_stream(g->gpu);
    bench_must(sac_gpu_enter(g->gpu), "enter", NULL);
    bench_must(sac_gpu_event_open(g->gpu, &g->from), "event", NULL);
    bench_must(sac_gpu_event_open(g->gpu, &g->to), "event", NULL);
}

void *bench_gpu_memory(const bench_gpu *g, size_t bytes)
{
    sac_error err = {0};
    void *memory = NULL;
    bench_must(sac_gpu_alloc(g->gpu, &memory, bytes, &err), "memory", &err);
    return memory;
}

void *bench_gpu_pinned(const bench_gpu *g, size_t bytes)
{
    sac_error err = {0};
    void *memory = NULL;
    bench_must(sac_gpu_alloc_pinned(g->gpu, &memory, bytes, &err), "memory", &err);
    return memory;
}

sac_gpu_graph bench_gpu_capture(const bench_gpu *g, bench_gpu_call *call, void *arg)
{
    sac_gpu_graph graph = NULL;
    bench_must(sac_gpu_graph_begin(g->stream), "capture", NULL);
    call(arg);
    bench_must(sac_gpu_graph_end(&graph, g->stream), "capture", NULL);
    return graph;
}

void bench_gpu_launch_graph(void *launch)
{
    const bench_gpu_launch *l = launch;
    bench_must(sac_gpu_graph_launch(l->graph, l->stream), "graph", NULL);
}

static int compare_ns(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void bench_gpu_time(double *ns, const bench_gpu *g, bench_gpu_call *call, void *arg, bool by_events)
{
    for (int i = -WARM_RUNS; i < BENCH_GPU_RUNS; i++) {
        double all = 0;
        const int64_t start = sac_clock_ns();
        bench_must(sac_gpu_event_record(g->from, g->stream), "event", NULL);
        call(arg);
        bench_must(sac_gpu_event_record(g->to, g->stream), "event", NULL);
        bench_must(sac_gpu_event_elapsed(&all, g->from, g->to), "event", NULL);
        if (!by_events)
            all = (double)(sac_clock_ns() - start);
        if (i >= 0)
            ns[i] = all;
    }
    qsort(ns, BENCH_GPU_RUNS, sizeof *ns, compare_ns);
}

static void copy_in(const bench_gpu_copies *c, int i)
{
    const size_t at = (size_t)i * c->bytes;
    bench_must(sac_gpu_copy(c->there + at, c->here + at, c->bytes, c->gpu->stream), "copy", NULL);
}

static void copy_back(const bench_gpu_copies *c, int i, sac_gpu_stream stream)
{
    const size_t at = (size_t)i * c->bytes;
    bench_must(sac_gpu_copy(c->out_here + at, c->out_there + at, c->bytes, stream), "copy", NULL);
}

void bench_gpu_copy_in(void *copies)
{
    const bench_gpu_copies *c = copies;
    for (int i = 0; i < c->n; i++)
        copy_in(c, i);
}

void bench_gpu_copy_back(void *copies)
{
    const bench_gpu_copies *c = copies;
    for (int i = 0; i < c->n; i++)
        copy_back(c, i, c->gpu->stream);
}

void bench_gpu_copy_both(void *copies)
{
    const bench_gpu_copies *c = copies;
    const sac_gpu_stream back = sac_gpu_back_stream(c->gpu->gpu);
    for (int i = 0; i < c->n; i++) {
        copy_in(c, i);
        copy_back(c, i, back);
    }
    bench_must(sac_gpu_wait(c->gpu->stream), "wait", NULL);
    bench_must(sac_gpu_wait(back), "wait", NULL);
}
