/*
 * Batches: opened, run and closed by the caller's thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "batch/batch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "base/system.h"

#define MOST_WORKERS 16 /* of a device */

void sac_batch_desc_init(sac_batch_desc *desc)
{
    if (desc)
        *desc = (sac_batch_desc){.struct_size = sizeof *desc, .n_ranks = 1, .n_part_items = 1};
}

static sac_status check(const sac_batch_desc *d, sac_error *err)
{
    const char *wrong =
        !d->work                                          ? "work: is NULL"
        : d->n_items < 1                                  ? "n_items: expected 1 or more"
        : d->n_part_items < 1                             ? "n_part_items: expected 1 or more"
        : d->n_workers < 0 || d->n_workers > MOST_WORKERS ? "n_workers: expected 0 to 16"
        : d->n_ranks < 1 || d->rank < 0 || d->rank >= d->n_ranks ? "rank: expected one of n_ranks"
                                                                 : NULL;
    return wrong ? sac_fail(err, SAC_E_INVALID, "%s", wrong) : SAC_OK;
}

static sac_status make_workers(sac_batch *b, sac_error *err)
{
    sac_device devices[SAC_MAX_DEVICES];
    int32_t n;
    const sac_status st = sac_device_list(devices, &n, b->desc.device, err);
    if (st != SAC_OK)
        return st;
    const int32_t each = b->desc.n_workers                       ? b->desc.n_workers
                         : b->desc.device.kind == SAC_DEVICE_CPU ? 1
                                                                 : 2;
    b->n_workers = n * each;
    b->workers = sac_alloc((size_t)b->n_workers, sizeof *b->workers);
    b->again = sac_alloc((size_t)b->n_workers, sizeof *b->again);
    if (!b->workers || !b->again)
        return sac_fail(err, SAC_E_NOMEM, "no memory for %d workers", (int)b->n_workers);
    for (int32_t i = 0; i < b->n_workers; i++) /* the first parts go to different devices */
        b->workers[i] = (sac_batch_worker){.batch = b, .device = devices[i % n]};
    return SAC_OK;
}

/* Threads, whose states are there when this returns. */
static sac_status start(sac_batch *b, sac_error *err)
{
    pthread_attr_t attributes;
    sac_status st = SAC_OK;
    pthread_attr_init(&attributes);
    pthread_mutex_lock(&b->lock);
    for (int32_t i = 0; i < b->n_workers && st == SAC_OK; i++) {
        if (sac_system_thread(&b->workers[i].thread, &attributes, -1, sac_batch_work,
                              &b->workers[i]) != 0)
            st = sac_fail(err, SAC_E_NOMEM, "a thread cannot be started");
        b->n_threads += st == SAC_OK;
        b->n_opening += st == SAC_OK;
    }
    while (b->n_opening > 0)
        pthread_cond_wait(&b->changed, &b->lock);
    if (st == SAC_OK && b->failed != SAC_OK) {
        st = b->failed;
        if (err)
            *err = b->err;
    }
    pthread_mutex_unlock(&b->lock);
    pthread_attr_destroy(&attributes);
    return st;
}

sac_status sac_batch_open(sac_batch **batch, const sac_batch_desc *desc, sac_error *err)
{
    if (!batch)
        return sac_fail(err, SAC_E_INVALID, "batch: is NULL");
    *batch = NULL;
    sac_batch *b = sac_alloc(1, sizeof *b);
    if (!b)
        return sac_fail(err, SAC_E_NOMEM, "no memory for a batch");
    sac_batch_desc_init(&b->desc);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    sac_status st = sac_struct_take(&b->desc, desc, "desc", err);
    st = st ? st : check(&b->desc, err);
    st = st ? st : make_workers(b, err);
    if (st == SAC_OK) {
        b->n_parts = (b->desc.n_items - 1) / b->desc.n_part_items + 1;
        st = start(b, err);
    }
    *batch = b;
    if (st != SAC_OK)
        sac_batch_close(batch);
    return st;
}

sac_status sac_batch_run(sac_batch *b, sac_error *err)
{
    if (!b)
        return sac_fail(err, SAC_E_INVALID, "batch: is NULL");
    pthread_mutex_lock(&b->lock);
    b->next = b->turn = sac_batch_wanted(b, b->desc.rank);
    b->n_again = 0;
    b->failed = b->n_ready > 0 ? SAC_OK : sac_fail(&b->err, SAC_E_DEVICE, "device: none is left");
    b->is_running = true;
    pthread_cond_broadcast(&b->changed);
    while (b->n_working > 0 || (b->failed == SAC_OK && (b->n_again > 0 || b->next < b->n_parts)))
        pthread_cond_wait(&b->changed, &b->lock);
    b->is_running = false;
    const sac_status st = b->failed;
    if (st != SAC_OK && err)
        *err = b->err;
    pthread_mutex_unlock(&b->lock);
    return st;
}

int32_t sac_batch_get_workers(const sac_batch *b)
{
    int32_t n = 0;
    for (int32_t i = 0; b && i < b->n_workers; i++)
        n += !b->workers[i].is_out;
    return n;
}

void sac_batch_close(sac_batch **batch)
{
    sac_batch *b = batch ? *batch : NULL;
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->is_closing = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    for (int32_t i = 0; i < b->n_threads; i++)
        pthread_join(b->workers[i].thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    sac_free(b->again);
    sac_free(b->workers);
    sac_free(b);
    *batch = NULL;
}
