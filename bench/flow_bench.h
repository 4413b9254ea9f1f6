/*
 * What bench_flow's files share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_FLOW_BENCH_H
#define BENCH_FLOW_BENCH_H

#include "flow/plan.h"
#include "json.h"
#include "tables.h"

typedef struct bench_flow_options {
    size_t struct_size;
    sac_device device;
    int32_t frames, size[2], runs;
    const char *only, *json;
    bool device_only;
} bench_flow_options;

typedef struct bench_flow_task {
    const char *name, *filter;
    int32_t kind, eigen; /* eigen: of a GPU's plans */
} bench_flow_task;

typedef struct bench_flow {
    const bench_flow_options *options;
    int64_t points;
    float *iq, *out;
    cli_table table;
    cli_json json;
} bench_flow;

/* NULL: it would be cuSOLVER's, which is not there, and says so. */
sac_flow *bench_flow_open(const bench_flow *b, const bench_flow_task *task, sac_device device,
                          int32_t threads);
sac_array bench_flow_in(const bench_flow *b, void *data, sac_device device);

/* The median of a call's nanoseconds, by the clock, after one that is not counted. */
double bench_flow_time(const bench_flow *b, void (*call)(void *arg), void *arg);
void bench_flow_row(bench_flow *b, const char *task, const char *device, int32_t threads,
                    const char *what, double ns);

/* A GPU's rows; 1 where its results differ from the CPU's, or cuSOLVER's from Jacobi's. Ends the
 * process where there is none. */
int bench_flow_gpu(bench_flow *b, const bench_flow_task *task);

#endif
