/*
 * The machine's own floor: what happens to a thread that does nothing but look at the clock. No
 * stream on this machine is steadier.
 *
 * Threads: every function may be called by any thread at any time; while sac_jitter_run runs, other
 * threads may read its histograms, and not write them.
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
    double seconds;   /* how long to look, 0.001..10^6; default 10 */
    double rate_hz;   /* of scheduled times, 0.001..10^7; default 20000 */
    int32_t cpu;      /* the thread runs on this one alone; -1, the default: anywhere */
    int32_t priority; /* real-time (SCHED_FIFO) 1..99; 0, the default: ordinary */
} sac_jitter_desc;

SAC_API const sac_param_table *sac_jitter_params(void);
/* Fills in every default. Takes NULL. */
SAC_API void sac_jitter_desc_init(sac_jitter_desc *desc);

/*
 * Reads the clock in a thread of its own, again and again, and returns when that is over.
 *
 *     gaps    from each reading to the next: some tens of ns, and longer where the thread was kept
 *             from running (an interrupt, another thread, the hypervisor, the firmware)
 *     wakes   of each scheduled time k / rate_hz, how late the first reading behind it was: the
 *             least latency that a spinning worker can have. Times that passed within one gap
 *             count each.
 *
 * Adds to both histograms, either of which may be NULL. SAC_OK. SAC_E_INVALID: desc is NULL, or a
 * value is out of range or no number. SAC_E_NOMEM. SAC_E_UNSUPPORTED: the system does not grant
 * this CPU or priority.
 */
SAC_API SAC_NODISCARD sac_status sac_jitter_run(sac_histogram *gaps, sac_histogram *wakes,
                                                const sac_jitter_desc *desc, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
