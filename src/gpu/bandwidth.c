/*
 * The bandwidth of a GPU's memories: of copies, the roof that its rungs are held against, and of
 * reads of shared memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/measure.h>

#include "base/timings.h"
#include "gpu/shared_bandwidth.h"

#define HOT_BYTES ((size_t)6 << 20)
#define DRAM_BYTES ((size_t)1 << 30)
#define RUNS 31
#define CALLS 16 /* of a hot copy between two events: one alone is too short for them */

typedef struct job job;

/* What is timed: n times what the job is about. */
typedef sac_status enqueue_fn(const job *j, int32_t n);

struct job {
    enqueue_fn *enqueue;
    double bytes; /* of one */
    sac_gpu_stream stream;
    sac_gpu_event from, to;
    uint8_t *memory; /* 2 DRAM_BYTES of copies; what reads write */
    int32_t n_multiprocessors;
};

static sac_status copy(const job *j, int32_t n)
{
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++)
        status = sac_gpu_copy(j->memory + DRAM_BYTES, j->memory, (size_t)j->bytes / 2, j->stream);
    return status;
}

static sac_status read_shared(const job *j, int32_t n)
{
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++)
        status = sac_gpu_read_shared(j->memory, j->n_multiprocessors, j->stream);
    return status;
}

/* Bytes a second of n at once: the median, after one to warm up. */
static sac_status measure(double *b_s, const job *j, int32_t n)
{
    int64_t samples[RUNS];
    sac_status status = j->enqueue(j, n);
    for (int32_t i = 0; i < RUNS && status == SAC_OK; i++) {
        double ns = 0;
        status = sac_gpu_event_record(j->from, j->stream);
        if (status == SAC_OK)
            status = j->enqueue(j, n);
        if (status == SAC_OK)
            status = sac_gpu_event_record(j->to, j->stream);
        if (status == SAC_OK)
            status = sac_gpu_event_elapsed(&ns, j->from, j->to);
        samples[i] = (int64_t)ns;
    }
    if (status == SAC_OK) {
        sac_timings_sort(samples, RUNS);
        *b_s = 1e9 * j->bytes * n / (double)sac_timings_at(samples, RUNS, 0.5);
    }
    return status;
}

static sac_status measure_copies(void *out, job *j)
{
    sac_bandwidth *b = out;
    j->enqueue = copy;
    j->bytes = 2.0 * (double)DRAM_BYTES; /* read and written */
    const sac_status status = measure(&b->dram_b_s, j, 1);
    j->bytes = 2.0 * (double)HOT_BYTES;
    return status ? status : measure(&b->hot_b_s, j, CALLS);
}

static sac_status measure_shared(void *out, job *j)
{
    j->enqueue = read_shared;
    j->bytes = sac_gpu_shared_bytes(j->n_multiprocessors);
    return measure(out, j, 1);
}

/* Measures in device memory of `bytes`, or of what reads of shared memory write where that is 0. */
static sac_status with_gpu(void *out, sac_status (*what)(void *out, job *j), size_t bytes,
                           int32_t index, sac_error *err)
{
    sac_gpu *gpu = NULL;
    void *memory = NULL;
    sac_status status = sac_gpu_open(&gpu, index, err);
    if (status != SAC_OK)
        return status;
    job j = {.stream = sac_gpu_main_stream(gpu), .n_multiprocessors = sac_gpu_multiprocessors(gpu)};
    status =
        sac_gpu_alloc(gpu, &memory, bytes ? bytes : sac_gpu_shared_out(j.n_multiprocessors), err);
    if (status != SAC_OK)
        goto fail;
    j.memory = memory;
    status = sac_gpu_enter(gpu);
    if (status == SAC_OK) {
        status = sac_gpu_event_open(gpu, &j.from);
        if (status == SAC_OK)
            status = sac_gpu_event_open(gpu, &j.to);
        if (status == SAC_OK)
            status = what(out, &j);
        sac_gpu_event_close(&j.from);
        sac_gpu_event_close(&j.to);
        sac_gpu_leave(gpu);
    }
    if (status != SAC_OK)
        status = sac_fail(err, status, "bandwidth: cuda:%d refused or is lost", (int)index);
fail:
    sac_gpu_free(gpu, memory);
    sac_gpu_close(&gpu);
    return status;
}

sac_status sac_measure_gpu_bandwidth(sac_bandwidth *out, int32_t index, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = (sac_bandwidth){0};
    return with_gpu(out, measure_copies, 2 * DRAM_BYTES, index, err);
}

sac_status sac_measure_gpu_shared(double *b_s, int32_t index, sac_error *err)
{
    if (!b_s)
        return sac_fail(err, SAC_E_INVALID, "b_s: is NULL");
    *b_s = 0;
    return with_gpu(b_s, measure_shared, 0, index, err);
}
