/*
 * A worker of a batch: takes parts, works, and gives results in their order.
 *
 * A worker whose result has to wait keeps it, and with it the memory for the next. Where the part
 * that all wait for has lost its device, the first of them drops its own result and does that part.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "batch/batch.h"

#include <string.h>

static void fail(sac_batch *b, sac_status status, const sac_error *err)
{
    if (b->failed == SAC_OK) {
        b->failed = status;
        b->err = *err;
        b->err.status = status;
    }
}

/* The first of the parts that lost their worker; -1: there is none. */
static int32_t first_again(const sac_batch *b)
{
    int32_t first = -1;
    for (int32_t i = 0; i < b->n_again; i++)
        if (first < 0 || b->again[i] < b->again[first])
            first = i;
    return first;
}

static sac_batch_part part_of(const sac_batch *b, int64_t index)
{
    const int64_t first = index * b->desc.n_part_items, left = b->desc.n_items - first;
    return (sac_batch_part){index, first,
                            left < b->desc.n_part_items ? left : b->desc.n_part_items};
}

/* Gives out a part, if there is one. */
static bool take(sac_batch *b, sac_batch_part *part)
{
    const int32_t again = first_again(b);
    if (b->failed != SAC_OK || !b->is_running || b->is_closing)
        return false;
    if (again >= 0) {
        *part = part_of(b, b->again[again]);
        b->again[again] = b->again[--b->n_again];
        return true;
    }
    if (b->next >= b->n_parts)
        return false;
    *part = part_of(b, b->next);
    b->next = sac_batch_wanted(b, b->next + b->desc.n_ranks);
    return true;
}

int64_t sac_batch_wanted(const sac_batch *b, int64_t index)
{
    for (; index < b->n_parts; index += b->desc.n_ranks) {
        const sac_batch_part part = part_of(b, index);
        if (!b->desc.is_wanted || b->desc.is_wanted(b->desc.ctx, &part))
            break;
    }
    return index;
}

/* done and lost, one at a time: without the lock, which all else needs meanwhile. */
static void begin_telling(sac_batch *b)
{
    b->is_told = true;
    pthread_mutex_unlock(&b->lock);
}

static void end_telling(sac_batch *b)
{
    pthread_mutex_lock(&b->lock);
    b->is_told = false;
    pthread_cond_broadcast(&b->changed);
}

/* The last worker of a device tells that it is gone. */
static void take_out(sac_batch_worker *w, const sac_error *why)
{
    sac_batch *b = w->batch;
    bool is_last = true;
    w->is_out = true;
    for (int32_t i = 0; i < b->n_workers; i++)
        is_last =
            is_last && (b->workers[i].is_out || b->workers[i].device.index != w->device.index);
    if (!is_last || !b->desc.lost)
        return;
    while (b->is_told)
        pthread_cond_wait(&b->changed, &b->lock);
    begin_telling(b);
    b->desc.lost(b->desc.ctx, w->device, why);
    end_telling(b);
}

/* Waits for the part's turn, then hands its result over. */
static void hand_over(sac_batch_worker *w, const sac_batch_part *part)
{
    sac_batch *b = w->batch;
    sac_error err = {0};
    while ((b->turn != part->index || b->is_told) && b->failed == SAC_OK) {
        const int32_t again = first_again(b);
        if (again >= 0 && b->again[again] < part->index) {
            b->again[b->n_again++] = part->index; /* it comes later, after the one to do now */
            return;
        }
        pthread_cond_wait(&b->changed, &b->lock);
    }
    if (b->failed != SAC_OK)
        return;
    if (b->desc.done) { /* only the one whose turn it is comes here */
        begin_telling(b);
        const sac_status st = b->desc.done(b->desc.ctx, w->state, part, &err);
        end_telling(b);
        if (st != SAC_OK) {
            fail(b, st, &err);
            return;
        }
    }
    b->turn = sac_batch_wanted(b, b->turn + b->desc.n_ranks);
}

/* One part. False: the worker is out. */
static bool work(sac_batch_worker *w, const sac_batch_part *part)
{
    sac_batch *b = w->batch;
    sac_error err = {0};
    pthread_mutex_unlock(&b->lock);
    const sac_status st = b->desc.work(b->desc.ctx, w->state, part, &err);
    pthread_mutex_lock(&b->lock);
    if (st == SAC_OK) {
        hand_over(w, part);
    } else if (st == SAC_E_DEVICE && b->n_ready > 1) {
        b->again[b->n_again++] = part->index;
        b->n_ready--;
        take_out(w, &err);
    } else {
        fail(b, st, &err);
    }
    return !w->is_out;
}

static void open_state(sac_batch_worker *w)
{
    sac_batch *b = w->batch;
    sac_error err = {0}, named = {0};
    char device[64];
    const sac_status st =
        b->desc.open ? b->desc.open(b->desc.ctx, &w->state, w->device, &err) : SAC_OK;
    pthread_mutex_lock(&b->lock);
    w->has_state = st == SAC_OK;
    b->n_opening--;
    b->n_ready += w->has_state;
    if (st != SAC_OK && b->desc.device.kind == SAC_DEVICE_CUDA_SET) {
        (void)sac_fail(&named, st, "%s: %.200s", sac_device_text(w->device, device, sizeof device),
                       err.text);
        err = named;
    }
    if (st != SAC_OK)
        fail(b, st, &err);
    pthread_cond_broadcast(&b->changed);
}

void *sac_batch_work(void *worker)
{
    sac_batch_worker *w = worker;
    sac_batch *b = w->batch;
    sac_batch_part part;
    open_state(w); /* locks */
    bool is_in = w->has_state;
    while (is_in && !b->is_closing) {
        if (!take(b, &part)) {
            pthread_cond_wait(&b->changed, &b->lock);
            continue;
        }
        b->n_working++;
        is_in = work(w, &part);
        b->n_working--;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    if ((w->has_state || w->state) && b->desc.close)
        b->desc.close(b->desc.ctx, w->state);
    return NULL;
}
