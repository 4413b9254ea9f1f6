/*
 * The pool of threads that a plan owns. Workers spin briefly between jobs, then sleep.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_THREADS_H
#define SAC_BASE_THREADS_H

#include <saccade/device.h>

#include "base/error.h"

typedef struct sac_pool sac_pool;

typedef void (*sac_task_fn)(void *arg, int32_t i);

#define SAC_POOL_MAX_TASKS 65535

/*
 * A pool in which n_threads tasks run at once, the calling thread included (0: every core; at most
 * 1024); or a face of the caller's executor where that is not NULL. SAC_E_NOMEM, SAC_E_INVALID.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_pool_open(sac_pool **pool, int32_t n_threads,
                                                    const sac_executor *executor, sac_error *err);

/* How many tasks run at once. */
SAC_INTERNAL int32_t sac_pool_threads(const sac_pool *pool);

/*
 * Calls task(arg, i) once for each i in [0, n_tasks), n_tasks <= SAC_POOL_MAX_TASKS, in any order,
 * and returns when all are done; what they wrote is then visible here. Allocates nothing; takes a
 * lock only to wake sleepers. Not to be called from a task, nor from two threads at once.
 */
SAC_INTERNAL void sac_pool_run(sac_pool *pool, int32_t n_tasks, sac_task_fn task, void *arg);

/* Joins the threads; takes NULL and *pool == NULL; sets *pool = NULL. */
SAC_INTERNAL void sac_pool_close(sac_pool **pool);

#endif
