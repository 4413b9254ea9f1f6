/*
 * The copy bandwidth of a GPU's memory, the roof that its rungs are held against.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/measure.h>

#include "gpu/gpu.h"
#include "base/timings.h"

#define HOT_BYTES ((size_t)6 << 20)
#define DRAM_BYTES ((size_t)1 << 30)
#define RUNS 31
#define CALLS 16 /* of a hot copy between two events: one alone is too short for them */

typedef struct copies {
    sac_gpu_stream stream;
    sac_gpu_event from, to;
    uint8_t *memory; /* 2 DRAM_BYTES */
} copies;

static sac_status copy(const copies *c, size_t bytes, int32_t n)
{
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++)
        status = sac_gpu_copy(c->memory + DRAM_BYTES, c->memory, bytes, c->stream);
    return status;
}

/* Bytes read and written a second: the median, after one to warm up. */
static sac_status measure(double *b_s, const copies *c, size_t bytes, int32_t n)
{
    int64_t samples[RUNS];
    sac_status status = copy(c, bytes, n);
    for (int32_t i = 0; i < RUNS && status == SAC_OK; i++) {
        double ns = 0;
        status = sac_gpu_event_record(c->from, c->stream);
        if (status == SAC_OK)
            status = copy(c, bytes, n);
        if (status == SAC_OK)
            status = sac_gpu_event_record(c->to, c->stream);
        if (status == SAC_OK)
            status = sac_gpu_event_elapsed(&ns, c->from, c->to);
        samples[i] = (int64_t)ns;
    }
    if (status == SAC_OK) {
        sac_timings_sort(samples, RUNS);
        *b_s = 2e9 * (double)bytes * n / (double)sac_timings_at(samples, RUNS, 0.5);
    }
    return status;
}

static sac_status measure_both(sac_bandwidth *out, sac_gpu *gpu, void *memory)
{
    copies c = {.memory = memory, .stream = sac_gpu_main_stream(gpu)};
    sac_status status = sac_gpu_event_open(gpu, &c.from);
    if (status == SAC_OK)
        status = sac_gpu_event_open(gpu, &c.to);
    if (status == SAC_OK)
        status = measure(&out->dram_b_s, &c, DRAM_BYTES, 1);
    if (status == SAC_OK)
        status = measure(&out->hot_b_s, &c, HOT_BYTES, CALLS);
    sac_gpu_event_close(&c.from);
    sac_gpu_event_close(&c.to);
    return status;
}

sac_status sac_measure_gpu_bandwidth(sac_bandwidth *out, int32_t index, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = (sac_bandwidth){0};
    sac_gpu *gpu = NULL;
    void *memory = NULL;
    sac_status status = sac_gpu_open(&gpu, index, err);
    if (status != SAC_OK)
        return status;
    status = sac_gpu_alloc(gpu, &memory, 2 * DRAM_BYTES, err);
    if (status != SAC_OK)
        goto fail;
    status = sac_gpu_enter(gpu);
    if (status == SAC_OK) {
        status = measure_both(out, gpu, memory);
        sac_gpu_leave(gpu);
    }
    if (status != SAC_OK)
        status = sac_fail(err, status, "bandwidth: cuda:%d refused or is lost", (int)index);
fail:
    sac_gpu_free(gpu, memory);
    sac_gpu_close(&gpu);
    return status;
}
