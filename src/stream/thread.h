/*
 * A thread where and as urgent as asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_STREAM_THREAD_H
#define SAC_STREAM_THREAD_H

#include <pthread.h>

#include "base/error.h"

/*
 * Starts run(arg) on this CPU (-1: anywhere), at this real-time priority (SCHED_FIFO; 0: an
 * ordinary one). SAC_E_UNSUPPORTED where the system does not grant it, SAC_E_NOMEM without threads.
 */
SAC_NODISCARD sac_status sac_thread_start(pthread_t *thread, int32_t cpu, int32_t priority,
                                          void *(*run)(void *arg), void *arg, sac_error *err);

#endif
