/*
 * What a stream's files share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_STREAM_PLAN_H
#define SAC_STREAM_PLAN_H

#include <pthread.h>

#include "stream/share.h"

/* Two lines: what the producer writes, and what the worker reads. */
struct sac_stream {
    _Alignas(SAC_ALIGNMENT) sac_ring_producer producer;
    void *own_memory; /* NULL: the caller's */
    pthread_t thread;

    _Alignas(SAC_ALIGNMENT) sac_ring *ring;
    sac_share
        *share; /* NULL, or where frames come from; then the ring has slots for a batch alone */
    sac_stream_work_fn work;
    void *ctx;
    sac_histogram *latency;
    int64_t deadline_ns; /* INT64_MAX: none */
    int32_t batch_max;
    bool has_thread;          /* to be ended */
    uint32_t *ids;            /* (batch_max) */
    sac_stream_frame *frames; /* (batch_max) */
};

/* The worker's thread: works until a stop was asked for and nothing waits. */
void *sac_stream_worker(void *stream);

#endif
