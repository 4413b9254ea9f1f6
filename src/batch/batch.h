/*
 * A batch: what its workers share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BATCH_BATCH_H
#define SAC_BATCH_BATCH_H

#include <saccade/batch.h>

#include <pthread.h>

#include "base/error.h"

typedef struct sac_batch_worker {
    sac_batch *batch;
    sac_device device;
    pthread_t thread;
    void *state;
    bool has_state, is_out; /* is_out: its device was taken out */
} sac_batch_worker;

/* All below is under the lock, once the threads run. */
struct sac_batch {
    sac_batch_desc desc;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    sac_batch_worker *workers;
    int32_t n_workers, n_threads; /* n_threads: of them, that were started */
    int32_t n_opening, n_ready;   /* whose state is being made; that wait or work */
    int64_t n_parts;              /* of all processes */
    int64_t next, turn;           /* part to be given out, and whose result is to be taken */
    int64_t *again; /* (n_workers) parts that lost their worker, or gave way to such */
    int32_t n_again, n_working;
    bool is_running, is_closing;
    bool is_told;      /* a done or a lost is being called */
    sac_status failed; /* of the run, or of a worker's open */
    sac_error err;
};

/* The first part from `index` on that this process is to do; n_parts or more: none. */
int64_t sac_batch_wanted(const sac_batch *b, int64_t index);

/* A worker's thread, until the batch is closed or its device is lost. */
void *sac_batch_work(void *worker);

#endif
