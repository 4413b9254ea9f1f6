/*
 * How fast threads are together, also on a machine that does other things: the most that they did
 * in any short time, in which nothing else had their CPUs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_TOGETHER_H
#define SAC_BASE_TOGETHER_H

#include "base/error.h"

typedef struct sac_together {
    void (*piece)(void *arg, int32_t thread, int64_t k); /* the thread's k-th */
    void *arg;
    int32_t n_threads;   /* 1 to 1024 */
    int64_t ns, cell_ns; /* how long it takes, and the short time */
} sac_together;

typedef struct sac_pace {
    double all_s, one_s; /* pieces a second: of all threads together, and of the fastest alone */
} sac_pace;

/* As many threads as the caller asks for (0: one per core). SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_together_count(int32_t *n_threads, sac_error *err);

/* Threads of its own, one on each CPU where they are so many, do pieces until all have been there
 * for that time, or for some times as long where one does not come. SAC_E_NOMEM. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_together_measure(sac_pace *out, const sac_together *work,
                                                           sac_error *err);

#endif
