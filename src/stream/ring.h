/*
 * The ring between a producer and a worker: one block of memory without pointers in it, so that a
 * GPU, which has it at another address, may poll it where it is page-locked. share.h has the one
 * for a producer in another process.
 *
 *     sac_ring | waiting (2^k ids) | free (2^k ids) | slots, each a line of facts and its frame
 *
 * A slot is known by its id, 0 .. n_slots - 1, and is in one of four places: with the producer, who
 * always has one; waiting, at positions head .. tail - 1; with the worker, at most batch_max; or
 * free, given back. Positions only grow; the id at position p is in place p modulo 2^k.
 *
 * n_slots = capacity + batch_max + 1, so whoever has found room for a frame finds a free slot, too:
 * of all slots at most `capacity` wait, and all that the worker took but its last batch were given
 * back before it took that.
 *
 * A worker gives its last frames back, then takes new ones by moving head (release); the producer
 * looks at head (acquire) before it writes into a free slot. It need not look at `freed`.
 *
 * Every word has one writer, but for these: head, which the producer moves as well where it drops
 * the oldest frame; and tail's highest bit, by which the worker ends the stream. So both are moved
 * by compare-and-swap. A worker across PCIe does with plain stores of head: the two other policies
 * leave it alone, and the host's thread sets the bit when the GPU is done.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_STREAM_RING_H
#define SAC_STREAM_RING_H

#include <saccade/stream.h>

#include "base/alloc.h"
#include "base/wait.h"

#define SAC_RING_CLOSED (UINT64_C(1) << 63) /* of tail: nothing more comes in */
#define SAC_RING_NONE UINT32_MAX            /* no slot */

/* A line of memory each: what one side writes often does not slow the other down. */
typedef struct sac_ring {
    /* Set at open, before anyone looks. Offsets are from the block's begin. */
    uint64_t waiting_at, free_at, slots_at, slot_bytes, bytes;
    uint32_t capacity, n_slots;
    uint32_t waiting_mask, free_mask; /* 2^k - 1 */
    int32_t policy;                   /* sac_stream_policy */
    int32_t spin_us;

    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint64_t tail; /* frames put in: the word to poll */
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint64_t head; /* frames taken out */
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint32_t worker_asleep; /* base/wait.h */
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint32_t producer_asleep;
        _Atomic uint32_t stop; /* 1: asked for. Both sides look here all the time, and it stays */
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic int64_t received; /* counts of the producer */
        _Atomic int64_t refused, dropped;
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic int64_t processed; /* counts of the worker */
        _Atomic int64_t empty, turned_down, late, batches, most_waiting;
        _Atomic uint64_t freed; /* slots given back */
    };
} sac_ring;

/* The facts of a slot's frame: written by the producer, read by the worker. */
typedef struct sac_ring_slot {
    _Alignas(SAC_ALIGNMENT) uint64_t number;
    int64_t scheduled_ns, arrived_ns;
} sac_ring_slot;

/* What the producer knows for itself. */
typedef struct sac_ring_producer {
    sac_ring *ring;
    uint32_t own;       /* the slot that it writes */
    uint64_t tail;      /* frames it has put in */
    uint64_t head_seen; /* head, when last looked at */
    uint64_t n_taken;   /* slots taken from the free ones */
    uint64_t number;    /* of the next send */
} sac_ring_producer;

static inline _Atomic uint32_t *sac_ring_waiting(sac_ring *r, uint64_t position)
{
    return (_Atomic uint32_t *)((char *)r + r->waiting_at) + (position & r->waiting_mask);
}

static inline _Atomic uint32_t *sac_ring_free(sac_ring *r, uint64_t position)
{
    return (_Atomic uint32_t *)((char *)r + r->free_at) + (position & r->free_mask);
}

static inline sac_ring_slot *sac_ring_slot_at(sac_ring *r, uint32_t id)
{
    return (sac_ring_slot *)((char *)r + r->slots_at + id * r->slot_bytes);
}

static inline void *sac_ring_data(sac_ring *r, uint32_t id)
{
    return sac_ring_slot_at(r, id) + 1;
}

/*
 * Adds to a word of this thread's own. Release pairs with the acquire loads of
 * sac_stream_get_counts: who sees a frame counted as done sees it counted as received.
 */
static inline void sac_ring_count(_Atomic int64_t *word, int64_t n)
{
    atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) + n,
                          memory_order_release);
}

static inline void sac_ring_count_most(sac_ring *r, int64_t waiting)
{
    if (waiting > atomic_load_explicit(&r->most_waiting, memory_order_relaxed))
        atomic_store_explicit(&r->most_waiting, waiting, memory_order_relaxed);
}

static inline bool sac_ring_is_stopping(const sac_ring *r)
{
    /* Sequentially consistent, for sac_sleep. */
    return atomic_load(&r->stop) != 0;
}

/* The bytes of a block for this desc, which has passed its table's checks; 0: too many. Fills in
 * `ring`, but for its words. */
size_t sac_ring_lay_out(sac_ring *ring, const sac_stream_desc *desc);

/* Begins in `memory`, which is cleared, as laid out; the first slot is the producer's, all others
 * are free. */
void sac_ring_begin(sac_ring_producer *producer, void *memory, const sac_ring *layout);

/* Waits until ready(ring): spins for spin_us, then sleeps until sac_wake. */
void sac_ring_wait(sac_ring *ring, _Atomic uint32_t *asleep, sac_ready_fn ready);

/*
 * The worker's side. Takes at most `max` frames that wait: their ids, in order. Returns how many.
 */
int32_t sac_ring_take(sac_ring *ring, uint32_t *ids, int32_t max);

/* Gives slots back to the producer. */
void sac_ring_give_back(sac_ring *ring, const uint32_t *ids, int32_t n);

/* Closes the ring if it is empty: from then on no send is accepted. False: frames wait. */
bool sac_ring_close_empty(sac_ring *ring);

/* Whether frames wait, or a stop was asked for: for sac_ring_wait. */
bool sac_ring_can_take(const void *ring);

#endif
