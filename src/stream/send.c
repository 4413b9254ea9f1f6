/*
 * The producer's side of a stream.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <assert.h>

#include "base/clock.h"
#include "stream/plan.h"

void *sac_stream_slot(sac_stream *s)
{
    return !s || s->share ? NULL : sac_ring_data(s->ring, s->producer.own);
}

/* Room in the ring, by the newest head. Acquire: slots given back before it moved are visible. */
static bool has_room_now(sac_ring_producer *p)
{
    p->head_seen = atomic_load_explicit(&p->ring->head, memory_order_acquire);
    return p->tail - p->head_seen < p->ring->capacity;
}

/* There is room, or a stop was asked for. */
static bool can_go_on(const void *ring)
{
    /* Sequentially consistent, for sac_sleep. */
    const sac_ring *r = ring;
    return atomic_load_explicit(&r->tail, memory_order_relaxed) - atomic_load(&r->head) <
               r->capacity ||
           sac_ring_is_stopping(r);
}

/* Takes the frame that waits the longest away from the worker; its slot, or none where the worker
 * was faster, and there is room. Pairs with the exchange in sac_ring_take. */
static uint32_t claim_oldest(sac_ring_producer *p)
{
    sac_ring *r = p->ring;
    uint64_t head = p->head_seen;
    const uint32_t id = atomic_load_explicit(sac_ring_waiting(r, head), memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&r->head, &head, head + 1, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        p->head_seen = head;
        return SAC_RING_NONE;
    }
    p->head_seen = head + 1;
    sac_ring_count(&r->dropped, 1);
    return id;
}

/* There is one, and it is visible: what was given back came before the head that room was found
 * by; ring.h says why that is enough. */
static uint32_t take_free(sac_ring_producer *p)
{
    assert(atomic_load_explicit(&p->ring->freed, memory_order_relaxed) > p->n_taken);
    const uint32_t id =
        atomic_load_explicit(sac_ring_free(p->ring, p->n_taken), memory_order_relaxed);
    p->n_taken++;
    return id;
}

/* False: the worker has closed the ring. */
static bool push(sac_ring_producer *p)
{
    sac_ring *r = p->ring;
    uint64_t tail = p->tail;
    atomic_store_explicit(sac_ring_waiting(r, tail), p->own, memory_order_relaxed);
    /* An exchange, not a store: the worker may have closed the ring since. Release: the frame and
     * its facts, for sac_ring_take. Sequentially consistent, for sac_wake. */
    if (!atomic_compare_exchange_strong_explicit(&r->tail, &tail, tail + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return false;
    p->tail = tail + 1;
    sac_wake(&r->worker_asleep, false);
    return true;
}

static sac_status refuse(sac_ring *r)
{
    sac_ring_count(&r->refused, 1);
    return SAC_END;
}

sac_status sac_stream_send(sac_stream *s, int64_t scheduled_ns)
{
    if (!s || s->share)
        return SAC_E_INVALID;
    sac_ring_producer *p = &s->producer;
    sac_ring *r = p->ring;
    sac_ring_slot *slot = sac_ring_slot_at(r, p->own);
    uint32_t spare = SAC_RING_NONE;
    slot->number = p->number++;
    slot->arrived_ns = sac_clock_ns();
    slot->scheduled_ns = scheduled_ns ? scheduled_ns : slot->arrived_ns;
    sac_ring_count(&r->received, 1);
    if (sac_ring_is_stopping(r))
        return refuse(r);
    if (p->tail - p->head_seen >= r->capacity && !has_room_now(p)) {
        if (r->policy == SAC_STREAM_DROP_NEWEST) {
            sac_ring_count(&r->dropped, 1);
            return SAC_OK;
        }
        if (r->policy == SAC_STREAM_DROP_OLDEST) {
            spare = claim_oldest(p);
        } else {
            sac_ring_wait(r, &r->producer_asleep, can_go_on);
            if (!has_room_now(p))
                return refuse(r); /* it was a stop */
        }
    }
    if (!push(p))
        return refuse(r); /* for good: a spare slot is not missed */
    p->own = spare != SAC_RING_NONE ? spare : take_free(p);
    return SAC_OK;
}

void sac_stream_refuse(sac_stream *s, int64_t n)
{
    if (!s || s->share || n <= 0)
        return;
    sac_ring_count(&s->ring->received, n);
    sac_ring_count(&s->ring->refused, n);
}
