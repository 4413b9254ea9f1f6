/*
 * Work of a GPU, timed: by events or by the clock, as a graph; and what copies alone take.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_GPU_TIMES_H
#define BENCH_GPU_TIMES_H

#include "gpu/gpu.h"

#define BENCH_GPU_RUNS 21 /* of which the median counts */

typedef struct bench_gpu {
    sac_gpu *gpu;
    sac_gpu_stream stream;
    sac_gpu_event from, to;
} bench_gpu;

typedef void bench_gpu_call(void *arg);

/* The process ends where there is none, and frees what it has when it ends. */
void bench_gpu_open(bench_gpu *g, int32_t index);

void *bench_gpu_memory(const bench_gpu *g, size_t bytes);
void *bench_gpu_pinned(const bench_gpu *g, size_t bytes);

/* What `call` enqueues on the stream. */
sac_gpu_graph bench_gpu_capture(const bench_gpu *g, bench_gpu_call *call, void *arg);

/* bench_gpu_call of one. */
typedef struct bench_gpu_launch {
    sac_gpu_graph graph;
    sac_gpu_stream stream;
} bench_gpu_launch;
void bench_gpu_launch_graph(void *launch);

/* Nanoseconds of a call, BENCH_GPU_RUNS times, sorted: by events of the stream, or by the clock
 * where it works on others, and waits for them. */
void bench_gpu_time(double *ns, const bench_gpu *g, bench_gpu_call *call, void *arg,
                    bool by_events);

/* Copies of n pieces, `bytes` each, one after the other. */
typedef struct bench_gpu_copies {
    const bench_gpu *gpu;
    char *there, *here; /* device memory, page-locked memory; in, and out */
    char *out_there, *out_here;
    size_t bytes;
    int n;
} bench_gpu_copies;

/* bench_gpu_call of them: to the device, back, and both at once, which waits. */
void bench_gpu_copy_in(void *copies);
void bench_gpu_copy_back(void *copies);
void bench_gpu_copy_both(void *copies);

#endif
