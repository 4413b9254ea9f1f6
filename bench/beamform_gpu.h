/*
 * bench_beamform on a GPU: what kernels by themselves and the whole chain share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BENCH_BEAMFORM_GPU_H
#define SAC_BENCH_BEAMFORM_GPU_H

#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#else
#include "beamform_bench.h"

struct bench_gpu {
    sac_gpu *gpu;
    sac_gpu_stream stream;
    sac_gpu_info info;
    sac_gpu_event event[BENCH_MAX_RUNS + 1];
    int64_t *cycles_ns; /* (2) on the device */
    double copy_b_s;    /* of its memory: read plus written */
};

/* bench_must, naming the device. */
void bench_gpu_must(sac_status status, const char *what);

/* Device or page-locked memory; the caller frees it, or the process's end. */
void *bench_gpu_memory(bench_gpu *g, size_t bytes);
void *bench_gpu_pinned(bench_gpu *g, size_t bytes);
#endif

/* cycles_ns[0] = clocks of a multiprocessor, cycles_ns[1] = the nanoseconds that they took, at
 * least ns. Only enqueues. */
sac_status bench_count_cycles(sac_gpu_stream stream, int64_t *cycles_ns, int64_t ns);

/* The device's context, and nothing else of it. */
sac_status bench_make_context(int32_t index);

#ifdef __cplusplus
}
#endif
#endif
