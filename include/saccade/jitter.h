/*
 * Measures how steadily this machine runs a thread: a thread reads the clock continuously and
 * records every interruption. This is a lower bound: no stream (saccade/stream.h) on this machine
 * has less jitter.
 *
 *     sac_jitter_desc desc;
 *     sac_histogram *gaps = NULL;
 *     sac_jitter_desc_init(&desc);
 *     if (sac_histogram_open(&gaps, &err) == SAC_OK &&
 *         sac_jitter_run(gaps, NULL, &desc, &err) == SAC_OK)
 *         printf("longest gap: %lld ns\n", (long long)sac_histogram_get_max(gaps));
 *     sac_histogram_close(&gaps);
 *
 * Threads: every function may be called from any thread at any time. While sac_jitter_run runs,
 * other threads may read its histograms, but not write to them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_JITTER_H
#define SACCADE_JITTER_H

#include <saccade/base.h>
#include <saccade/histogram.h>
#include <saccade/param.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sac_jitter_desc {
    size_t struct_size;
    double seconds; /* duration, 0.001..10^6; default 10 */
    double rate_hz; /* of the scheduled times, 0.001..10^7; default 20000 */
    int32_t cpu;    /* the only CPU that the thread may run on; -1, the default: any */
    int32_t
        priority; /* real-time priority (SCHED_FIFO) 1..99; 0, the default: an ordinary thread */
} sac_jitter_desc;

/* The options, with ranges and texts (saccade/param.h). */
SAC_API const sac_param_table *sac_jitter_params(void);
/* Fills in every default. Takes NULL. */
SAC_API void sac_jitter_desc_init(sac_jitter_desc *desc);

/*
 * Reads the clock continuously in a thread of its own, and returns after desc->seconds.
 *
 *     gaps    times between successive readings: some tens of ns, and longer where the thread was
 *             interrupted (an interrupt, another thread, the hypervisor, the firmware)
 *     wakes   for each scheduled time k / rate_hz, the delay until the first reading after it: the
 *             lowest latency that a spinning worker can have. If several scheduled times fall in
 *             one gap, each of them counts.
 *
 * Adds to both histograms; either may be NULL. SAC_E_INVALID: desc is NULL, or a value is out of
 * range or not a number. SAC_E_NOMEM. SAC_E_UNSUPPORTED: the system does not grant this CPU or
 * priority.
 */
SAC_API SAC_NODISCARD sac_status sac_jitter_run(sac_histogram *gaps, sac_histogram *wakes,
                                                const sac_jitter_desc *desc, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
