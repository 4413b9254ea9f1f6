/*
 * The copy bandwidth of this machine, the roof that rungs are held against.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/measure.h>

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/threads.h"
#include "base/timings.h"

#define HOT_BYTES ((size_t)6 << 20)    /* a 1920x1080 RGB picture */
#define DRAM_BYTES ((size_t)128 << 20) /* beyond any last-level cache in use */
#define HOT_RUNS 51
#define DRAM_RUNS 5
#define MAX_RUNS HOT_RUNS

typedef struct copy_job {
    uint8_t *to;
    const uint8_t *from;
    size_t n_bytes;
    int32_t n_parts;
} copy_job;

static void copy_part(void *arg, int32_t i)
{
    const copy_job *job = arg;
    const size_t from = job->n_bytes * (size_t)i / (size_t)job->n_parts;
    const size_t to = job->n_bytes * (size_t)(i + 1) / (size_t)job->n_parts;
    memcpy(job->to + from, job->from + from, to - from);
}

/* Bytes read and written a second: the median of n_runs copies, after one to warm up. */
static double measure(sac_pool *pool, copy_job *job, int32_t n_runs)
{
    int64_t ns[MAX_RUNS];
    sac_pool_run(pool, job->n_parts, copy_part, job);
    for (int32_t i = 0; i < n_runs; i++) {
        const int64_t start = sac_clock_ns();
        sac_pool_run(pool, job->n_parts, copy_part, job);
        ns[i] = sac_clock_ns() - start;
    }
    sac_timings_sort(ns, n_runs);
    return 2e9 * (double)job->n_bytes / (double)sac_timings_at(ns, n_runs, 0.5);
}

sac_status sac_measure_bandwidth(sac_bandwidth *out, int32_t n_threads, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = (sac_bandwidth){0};
    sac_pool *pool = NULL;
    sac_status status = sac_pool_open(&pool, n_threads, NULL, err);
    if (status != SAC_OK)
        return status;
    uint8_t *to = sac_alloc(DRAM_BYTES, 1);
    uint8_t *from = sac_alloc(DRAM_BYTES, 1);
    if (to == NULL || from == NULL) {
        status = sac_fail(err, SAC_E_NOMEM, "bandwidth: no memory for two blocks of %zu MB",
                          DRAM_BYTES >> 20);
        goto fail;
    }
    memset(from, 1, DRAM_BYTES); /* pages of its own, not one page of zeros */
    copy_job job = {to, from, DRAM_BYTES, sac_pool_threads(pool)};
    out->dram_b_s = measure(pool, &job, DRAM_RUNS);
    job.n_bytes = HOT_BYTES;
    out->hot_b_s = measure(pool, &job, HOT_RUNS);
fail:
    sac_free(to);
    sac_free(from);
    sac_pool_close(&pool);
    return status;
}
