/*
 * Frames out of shared memory: nothing that stands there is believed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "stream/share.h"

#define FAR (UINT64_C(1) << 32) /* more frames than come between two looks */
#define MOST (INT64_C(1) << 60) /* more than ever come */

static uint64_t load_tail(const sac_share *s)
{
    /* Sequentially consistent, for sac_sleep; acquires the frames below, from push(). */
    return atomic_load(&s->block->tail) & ~SAC_RING_CLOSED;
}

static uint64_t sent(const sac_share *s)
{
    const uint64_t final = atomic_load_explicit(&s->final, memory_order_relaxed);
    return final == SAC_SHARE_OPEN ? load_tail(s) : final;
}

static uint64_t head_of(const sac_share *s)
{
    return atomic_load_explicit(&s->seen, memory_order_acquire) +
           atomic_load_explicit(&s->shift, memory_order_relaxed);
}

/* Sequentially consistent, for sac_sleep. Its release pairs with the producer's acquire: the
 * frames below were copied. */
static void publish_head(sac_share *s)
{
    atomic_store(&s->block->head, head_of(s));
    sac_wake(&s->block->producer_asleep, true);
}

/* Moves the head over n frames: release, as sac_ring_count. */
static void pass(sac_share *s, uint64_t n)
{
    const uint64_t seen = atomic_load_explicit(&s->seen, memory_order_relaxed);
    atomic_store_explicit(&s->seen, seen + n, memory_order_release);
}

/* What is between the two positions: frames that wait, and behind these frames that were dropped.
 */
typedef struct backlog {
    uint64_t waiting, dropped;
    bool absurd; /* no producer of ours does that */
} backlog;

static backlog backlog_of(const sac_share *s, uint64_t head, uint64_t tail)
{
    const uint64_t n = tail - head, capacity = s->shape.capacity;
    if (n <= capacity)
        return (backlog){.waiting = n};
    if (s->shape.policy == SAC_STREAM_DROP_OLDEST && n < FAR &&
        atomic_load_explicit(&s->seen, memory_order_relaxed) < (uint64_t)MOST)
        return (backlog){.waiting = capacity, .dropped = n - capacity};
    return (backlog){.absurd = true};
}

/*
 * Takes from tail what only a producer that is not ours wrote there: the mark of a stream that has
 * closed, which says so before (a stop just now marks it again when it is empty); and positions so
 * far that a few sends more would set that mark. Returns where tail is.
 */
static uint64_t mend_tail(sac_share *s, const sac_ring *to)
{
    uint64_t tail = atomic_load(&s->block->tail);
    const uint64_t at = tail & ~SAC_RING_CLOSED, sound = at < (uint64_t)MOST ? at : 0;
    if (tail == sound || sac_ring_is_stopping(to) ||
        !atomic_compare_exchange_strong(&s->block->tail, &tail, sound))
        return at;
    return sound;
}

/* Moves the head to tail, wherever that is, and counts one refused frame. */
static void give_up(sac_share *s, sac_ring *to, uint64_t tail)
{
    const uint64_t seen = atomic_load_explicit(&s->seen, memory_order_relaxed);
    if (atomic_load_explicit(&s->final, memory_order_relaxed) == SAC_SHARE_OPEN)
        tail = mend_tail(s, to);
    atomic_store_explicit(&s->shift, tail - (seen + 1), memory_order_relaxed);
    pass(s, 1);
    sac_ring_count(&to->turned_down, 1);
    publish_head(s);
}

static void copy(const sac_share *s, sac_ring *to, uint32_t id, uint64_t position)
{
    const sac_ring_slot *from = sac_share_slot(s->block, &s->shape, position);
    sac_ring_slot *slot = sac_ring_slot_at(to, id);
    *slot = *from;
    memcpy(slot + 1, from + 1, (size_t)s->shape.frame_bytes);
}

/* Numbers grow, whatever the producer says. */
static void check_number(sac_share *s, sac_ring_slot *slot)
{
    if (slot->number - s->number >= FAR)
        slot->number = s->number;
    s->number = slot->number + 1;
}

/*
 * How many of n frames from head may have been written over while they were copied. Pairs with the
 * fence in push(): where a copy has anything of the frame that the producer writes at tail, this
 * sees that tail. Elsewhere the producer keeps off the slots, or lies to itself alone.
 */
static uint64_t n_torn(const sac_share *s, uint64_t head, uint64_t n)
{
    if (s->shape.policy != SAC_STREAM_DROP_OLDEST)
        return 0;
    atomic_thread_fence(memory_order_acquire);
    const uint64_t ahead = load_tail(s) - head, whole = s->shape.n_slots - 1;
    if (ahead <= whole)
        return 0;
    return ahead - whole < n ? ahead - whole : n;
}

int32_t sac_share_take(sac_share *s, sac_ring *to, uint32_t *ids, int32_t max)
{
    const uint64_t tail = sent(s);
    const backlog b = backlog_of(s, head_of(s), tail);
    const uint64_t n = b.waiting < (uint64_t)max ? b.waiting : (uint64_t)max;
    if (b.absurd)
        give_up(s, to, tail);
    if (n == 0)
        return 0;
    const uint64_t head = head_of(s) + b.dropped;
    for (uint64_t i = 0; i < n; i++)
        copy(s, to, (uint32_t)i, head + i);
    const uint64_t torn = n_torn(s, head, n);
    sac_ring_count_most(to, (int64_t)b.waiting);
    pass(s, b.dropped + n);
    sac_ring_count(&to->dropped, (int64_t)(b.dropped + torn)); /* they came before */
    publish_head(s);
    for (uint64_t i = torn; i < n; i++) {
        ids[i - torn] = (uint32_t)i;
        check_number(s, sac_ring_slot_at(to, (uint32_t)i));
    }
    return (int32_t)(n - torn);
}

typedef struct waiter {
    const sac_share *share;
    const sac_ring *to;
} waiter;

static bool is_ready(const void *of)
{
    const waiter *w = of;
    return sent(w->share) != head_of(w->share) || sac_ring_is_stopping(w->to);
}

/* Whatever somebody wrote there. */
static void put_right(sac_share *s, const sac_ring *to)
{
    const uint64_t head = head_of(s), tail = mend_tail(s, to);
    if (head >= (uint64_t)MOST && tail < (uint64_t)MOST)
        atomic_store_explicit(&s->shift,
                              tail - atomic_load_explicit(&s->seen, memory_order_relaxed),
                              memory_order_relaxed);
    publish_head(s);
}

void sac_share_wait(sac_share *s, const sac_ring *to)
{
    const waiter w = {s, to};
    if (!sac_share_pause(&s->block->worker_asleep, s->shape.spin_us, is_ready, &w))
        put_right(s, to);
}

static uint64_t shut(const sac_share *s)
{
    /* Either this comes first, and the next push fails; or a push does, and its frame is seen. */
    return atomic_fetch_or(&s->block->tail, SAC_RING_CLOSED) & ~SAC_RING_CLOSED;
}

bool sac_share_close_empty(sac_share *s)
{
    if (atomic_load_explicit(&s->final, memory_order_relaxed) == SAC_SHARE_OPEN)
        atomic_store_explicit(&s->final, shut(s), memory_order_relaxed);
    return sent(s) == head_of(s);
}

void sac_share_request_stop(sac_share *s)
{
    (void)shut(s);
    sac_wake(&s->block->worker_asleep, true);
    sac_wake(&s->block->producer_asleep, true);
}

static int64_t said(const _Atomic uint64_t *word)
{
    const uint64_t n = atomic_load_explicit(word, memory_order_acquire);
    return n < (uint64_t)MOST ? (int64_t)n : 0;
}

void sac_share_add_counts(const sac_share *s, sac_stream_counts *c)
{
    const int64_t dropped = said(&s->block->dropped), refused = said(&s->block->refused);
    uint64_t seen;
    backlog b;
    do { /* while frames pass, what was sent since would count as more than can wait */
        seen = atomic_load_explicit(&s->seen, memory_order_acquire);
        b = backlog_of(s, seen + atomic_load_explicit(&s->shift, memory_order_relaxed), sent(s));
    } while (seen != atomic_load_explicit(&s->seen, memory_order_acquire));
    c->dropped += dropped + (int64_t)b.dropped;
    c->refused += refused;
    c->received += dropped + refused + (int64_t)(seen + b.dropped + b.waiting);
}
