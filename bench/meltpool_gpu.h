/*
 * bench_meltpool on a GPU: what its files share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_MELTPOOL_GPU_H
#define BENCH_MELTPOOL_GPU_H

#include "gpu/gpu.h"
#include "json.h"
#include "meltpool_bench.h"
#include "options.h"
#include "tables.h"

/* What the command line says. */
typedef struct bench_gpu_options {
    sac_device device;
    int32_t frames;  /* of the build */
    int32_t batched; /* frames that batches are of: the build again and again */
    int32_t passes;
    int32_t runs; /* of each latency */
    double rate_hz;
    const char *json;
} bench_gpu_options;

typedef struct bench_gpu {
    bench_gpu_options options;
    sac_gpu *gpu;
    bench_build build;
    sac_meltpool_scene_plan of;
    sac_meltpool *plan;
    sac_meltpool_signals *signals;   /* (batched) */
    sac_meltpool_record *want, *got; /* (batched): the CPU's, and the GPU's last */
    uint8_t *ring;                   /* (BENCH_SLOTS, 96, 96), page-locked */
    uint8_t *pinned, *on_device;     /* (batched, 96, 96) */
    int64_t *ns;                     /* (passes) */
    int64_t n_compared, n_different;
    cli_table latency, batch;
    cli_json json;
} bench_gpu;

/* The rows of a kind; floors before there is a plan. */
void bench_gpu_floors(bench_gpu *b);
void bench_gpu_latencies(bench_gpu *b);
void bench_gpu_batches(bench_gpu *b);

/* Counts how many of n records differ from the CPU's, `want`; tells the first. With `all` of the
 * whole record, else features 0..19 alone, which no frame before has a part in. */
void bench_gpu_compare(bench_gpu *b, const sac_meltpool_record *want,
                       const sac_meltpool_record *got, int32_t n, bool all);

/* The whole: an exit status, 1 where a record differed. */
int bench_meltpool_gpu(const bench_gpu_options *options);

#endif
