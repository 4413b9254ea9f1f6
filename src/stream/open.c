/*
 * A stream's beginning and end, and what it counts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"
#include "base/clock.h"
#include "stream/plan.h"
#include "stream/thread.h"

int64_t sac_stream_clock_ns(void)
{
    return sac_clock_ns();
}

/* Takes the caller's desc, and fills in the layout; its bytes are 0 where there are too many. */
static sac_status take_desc(sac_stream_desc *desc, sac_ring *layout, const sac_stream_desc *callers,
                            sac_error *err)
{
    sac_stream_desc_init(desc);
    const sac_status status = sac_desc_take(desc, sac_stream_params(), callers, err);
    if (status)
        return status;
    if (desc->frame_bytes == 0)
        return sac_fail(err, SAC_E_INVALID, "frame_bytes: expected at least 1, got 0");
    sac_stream_desc batch = *desc;
    if (desc->shared)
        batch.capacity = 1; /* frames wait elsewhere */
    (void)sac_ring_lay_out(layout, &batch);
    return SAC_OK;
}

size_t sac_stream_memory_bytes(const sac_stream_desc *desc)
{
    sac_ring layout = {0};
    sac_stream_desc own;
    return take_desc(&own, &layout, desc, NULL) == SAC_OK ? (size_t)layout.bytes : 0;
}

static sac_status check_memory(const sac_stream_desc *desc, size_t bytes, sac_error *err)
{
    if (bytes == 0)
        return sac_fail(err, SAC_E_NOMEM,
                        "frame_bytes: %zu are too many for %d frames that wait and %d at once",
                        desc->frame_bytes, desc->capacity, desc->batch_max);
    if (desc->memory && desc->shared)
        return sac_fail(err, SAC_E_INVALID, "memory: expected NULL where frames are shared");
    if (desc->memory && (uintptr_t)desc->memory % SAC_ALIGNMENT != 0)
        return sac_fail(err, SAC_E_INVALID, "memory: expected an address aligned to %d",
                        SAC_ALIGNMENT);
    if (desc->memory && desc->memory_bytes < bytes)
        return sac_fail(err, SAC_E_INVALID, "memory_bytes: expected at least %zu, got %zu", bytes,
                        desc->memory_bytes);
    return SAC_OK;
}

static sac_status prepare(sac_stream *s, const sac_stream_desc *desc, const sac_ring *layout,
                          sac_error *err)
{
    s->work = desc->work;
    s->ctx = desc->ctx;
    s->deadline_ns = desc->deadline_us ? INT64_C(1000) * desc->deadline_us : INT64_MAX;
    s->batch_max = desc->batch_max;
    s->ids = sac_alloc((size_t)desc->batch_max, sizeof *s->ids);
    s->frames = sac_alloc((size_t)desc->batch_max, sizeof *s->frames);
    s->own_memory = desc->memory ? NULL : sac_alloc(1, (size_t)layout->bytes);
    s->ring = desc->memory ? desc->memory : s->own_memory;
    if (!s->ids || !s->frames || !s->ring)
        return sac_fail(err, SAC_E_NOMEM, "stream: no memory for %u slots of %zu bytes",
                        layout->n_slots, desc->frame_bytes);
    sac_status status = sac_histogram_open(&s->latency, err);
    if (status)
        return status;
    sac_ring_begin(&s->producer, s->ring, layout);
    if (desc->shared)
        status = sac_share_open(&s->share, desc, err);
    if (status == SAC_OK)
        status = sac_thread_start(&s->thread, desc->cpu, desc->priority, sac_stream_worker, s, err);
    s->has_thread = status == SAC_OK;
    return status;
}

sac_status sac_stream_open(sac_stream **out, const sac_stream_desc *callers, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "stream: is NULL");
    *out = NULL;
    sac_ring layout = {0};
    sac_stream_desc own;
    sac_status status = take_desc(&own, &layout, callers, err);
    const sac_stream_desc *desc = &own;
    if (status == SAC_OK && !desc->work)
        status = sac_fail(err, SAC_E_INVALID, "work: is NULL");
    status = status ? status : check_memory(desc, (size_t)layout.bytes, err);
    if (status)
        return status;
    sac_stream *s = sac_alloc(1, sizeof *s);
    if (!s)
        return sac_fail(err, SAC_E_NOMEM, "stream: no memory for it");
    status = prepare(s, desc, &layout, err);
    if (status)
        sac_stream_close(&s);
    else
        sac_log_line(desc->log, SAC_LOG_INFO,
                     "stream: %d frames of %zu bytes may wait%s%.60s, worker on CPU %d (-1: any), "
                     "priority %d",
                     desc->capacity, desc->frame_bytes, desc->shared ? " at " : "",
                     desc->shared ? desc->shared : "", desc->cpu, desc->priority);
    *out = s;
    return status;
}

/* Nothing here but lock-free words and futexes: a signal handler may call it. */
void sac_stream_request_stop(sac_stream *s)
{
    if (!s)
        return;
    atomic_store(&s->ring->stop, 1); /* sequentially consistent, for sac_sleep */
    sac_wake(&s->ring->worker_asleep, false);
    sac_wake(&s->ring->producer_asleep, false);
    if (s->share)
        sac_share_request_stop(s->share);
}

bool sac_stream_is_stopping(const sac_stream *s)
{
    return !s || sac_ring_is_stopping(s->ring);
}

void sac_stream_stop(sac_stream *s)
{
    if (!s)
        return;
    sac_stream_request_stop(s);
    if (s->has_thread)
        (void)pthread_join(s->thread, NULL);
    s->has_thread = false;
}

static int64_t load(const _Atomic int64_t *word)
{
    /* Acquire pairs with sac_ring_count. */
    return atomic_load_explicit(word, memory_order_acquire);
}

/* What frames came to is read before how many came, so that none is done that is not here yet. */
static void count(sac_stream_counts *c, const sac_stream *s)
{
    const sac_ring *r = s->ring;
    c->processed = load(&r->processed);
    c->empty = load(&r->empty);
    c->dropped = load(&r->dropped);
    c->refused = load(&r->turned_down) + load(&r->refused);
    c->late = load(&r->late);
    c->batches = load(&r->batches);
    c->most_waiting = load(&r->most_waiting);
    c->received = load(&r->received);
    if (s->share)
        sac_share_add_counts(s->share, c);
    c->accepted = c->received - c->refused;
    c->waiting = c->accepted - c->processed - c->empty - c->dropped;
}

void sac_stream_get_counts(const sac_stream *s, sac_stream_counts *counts)
{
    sac_stream_counts c = {.struct_size = sizeof c};
    if (s)
        count(&c, s);
    sac_struct_give(counts, &c);
}

const sac_histogram *sac_stream_get_latency(const sac_stream *s)
{
    return s ? s->latency : NULL;
}

void sac_stream_close(sac_stream **stream)
{
    if (!stream || !*stream)
        return;
    sac_stream *s = *stream;
    if (s->has_thread)
        sac_stream_stop(s);
    sac_share_close(&s->share);
    sac_histogram_close(&s->latency);
    sac_free(s->ids);
    sac_free(s->frames);
    sac_free(s->own_memory);
    sac_free(s);
    *stream = NULL;
}
