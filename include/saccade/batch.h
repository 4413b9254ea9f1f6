/*
 * Work that is shared: items (frames of a recording, files) are cut into parts, which workers on
 * several devices take as they become free. Each worker has a thread, a device and a state of its
 * own, usually a plan and its arrays. Several processes can share the items, each by its number.
 *
 *     sac_batch_desc desc;
 *     sac_batch *batch = NULL;
 *     sac_batch_desc_init(&desc);
 *     desc.device = device;             // cuda:all
 *     desc.n_items = n_frames, desc.n_part_items = 32;
 *     desc.open = open_plan, desc.work = beamform, desc.done = store, desc.close = close_plan;
 *     desc.ctx = &job;
 *     st = sac_batch_open(&batch, &desc, &err);
 *     st = st ? st : sac_batch_run(batch, &err);
 *     sac_batch_close(&batch);
 *
 * A GPU that fails in the middle is taken out: its parts are done by the others. The run fails with
 * the last one.
 *
 * Threads: one thread at a time uses a batch. open, work and close are called in the worker's own
 * thread, those of several workers at the same time; done and lost one at a time, of either.
 * Since 0.2.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_BATCH_H
#define SACCADE_BATCH_H

#include <saccade/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Items first .. first + n - 1. */
typedef struct sac_batch_part {
    int64_t index; /* of the part; part i begins with item i * n_part_items */
    int64_t first, n;
} sac_batch_part;

typedef struct sac_batch_desc {
    size_t struct_size;
    sac_device device;     /* cpu: one worker; default cpu */
    int32_t n_workers;     /* a device, 0 to 16. 0: one on the CPU; two on a GPU, of which one
                              reads and writes while the other computes */
    int32_t rank, n_ranks; /* this process of those that share the items: it takes each part whose
                              index leaves `rank` over n_ranks; default 0 of 1 */
    int64_t n_items;       /* 1 or more */
    int64_t n_part_items;  /* items of a part, of which the last may have fewer; default 1 */
    void *ctx;             /* is given to each of these: */

    /* Makes the state of a worker on one device, which may stay NULL. NULL: there are no states. */
    sac_status (*open)(void *ctx, void **worker, sac_device device, sac_error *err);
    /* Whether a part is to be done; false: it is done already. The answer may not change during a
     * run, and must be quick. NULL: all are. */
    bool (*is_wanted)(void *ctx, const sac_batch_part *part);
    /* Works on a part. SAC_E_DEVICE takes the worker out, unless it is the last one; other failures
     * end the run. */
    sac_status (*work)(void *ctx, void *worker, const sac_batch_part *part, sac_error *err);
    /* Takes the result, in the order of the parts, in the thread of the worker that made it, which
     * works on nothing else until then. Its failures, SAC_CANCELLED, too, end the run. NULL:
     * nothing is to be done. */
    sac_status (*done)(void *ctx, void *worker, const sac_batch_part *part, sac_error *err);
    /* The last worker of a device was taken out, for this reason. NULL: nobody is told. */
    void (*lost)(void *ctx, sac_device device, const sac_error *why);
    /* Frees a worker's state, also what an open that failed has left in *worker. */
    void (*close)(void *ctx, void *worker);
} sac_batch_desc;

typedef struct sac_batch sac_batch;

/* Zeros, but for struct_size, n_ranks of 1 and n_part_items of 1. */
SAC_API void sac_batch_desc_init(sac_batch_desc *desc);

/*
 * Starts the workers and opens their states, all at a time. What `ctx` points to must outlive the
 * batch. SAC_E_INVALID (a field out of range, no work); SAC_E_UNSUPPORTED, SAC_E_DEVICE (a device
 * that there is not); SAC_E_NOMEM; and what the desc's open returns, with the device before its
 * text.
 */
SAC_API SAC_NODISCARD sac_status sac_batch_open(sac_batch **batch, const sac_batch_desc *desc,
                                                sac_error *err);

/*
 * Does all parts that this process has to do. May be called again, and does them again.
 * SAC_E_INVALID: batch is NULL. SAC_E_DEVICE: the last device failed, or had before. Else what work
 * or done returned first; results before it that were not taken yet are dropped.
 */
SAC_API SAC_NODISCARD sac_status sac_batch_run(sac_batch *batch, sac_error *err);

/* Workers that are there: fewer after a loss. 0 where batch is NULL. */
SAC_API int32_t sac_batch_get_workers(const sac_batch *batch);

/* Closes the workers' states, joins their threads and sets *batch to NULL; takes NULL. */
SAC_API void sac_batch_close(sac_batch **batch);

#ifdef __cplusplus
}
#endif
#endif
