/*
 * The ring's layout, how its sides wait for each other, and the worker's side.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stream/ring.h"

#include <string.h>

static uint32_t mask_for(uint32_t n)
{
    uint32_t size = 1;
    while (size < n)
        size *= 2;
    return size - 1;
}

static uint64_t whole_lines(uint64_t bytes)
{
    return (bytes + SAC_ALIGNMENT - 1) / SAC_ALIGNMENT * SAC_ALIGNMENT;
}

size_t sac_ring_lay_out(sac_ring *r, const sac_stream_desc *desc)
{
    memset(r, 0, sizeof *r);
    r->capacity = (uint32_t)desc->capacity;
    r->n_slots = (uint32_t)desc->capacity + (uint32_t)desc->batch_max + 1;
    r->waiting_mask = mask_for(r->capacity);
    r->free_mask = mask_for(r->n_slots);
    r->policy = desc->policy;
    r->spin_us = desc->spin_us;
    r->waiting_at = whole_lines(sizeof *r);
    r->free_at = r->waiting_at + whole_lines((r->waiting_mask + UINT64_C(1)) * sizeof(uint32_t));
    r->slots_at = r->free_at + whole_lines((r->free_mask + UINT64_C(1)) * sizeof(uint32_t));
    if (desc->frame_bytes > PTRDIFF_MAX / 2)
        return 0;
    r->slot_bytes = sizeof(sac_ring_slot) + whole_lines(desc->frame_bytes);
    if (r->slot_bytes > (PTRDIFF_MAX - r->slots_at) / r->n_slots)
        return 0;
    r->bytes = r->slots_at + r->n_slots * r->slot_bytes;
    return (size_t)r->bytes;
}

void sac_ring_begin(sac_ring_producer *producer, void *memory, const sac_ring *layout)
{
    sac_ring *r = memory;
    memset(memory, 0, (size_t)layout->bytes); /* touched here, not by the first frames */
    memcpy(r, layout, offsetof(sac_ring, tail));
    *producer = (sac_ring_producer){.ring = r};
    for (uint32_t id = 1; id < r->n_slots; id++)
        atomic_store_explicit(sac_ring_free(r, id - 1), id, memory_order_relaxed);
    atomic_store_explicit(&r->freed, r->n_slots - 1, memory_order_relaxed);
}

void sac_ring_wait(sac_ring *r, _Atomic uint32_t *asleep, sac_ready_fn ready)
{
    const int64_t spin_ns =
        r->spin_us == SAC_STREAM_SPIN ? SAC_FOREVER : INT64_C(1000) * r->spin_us;
    while (!ready(r))
        if (!sac_spin(ready, r, spin_ns))
            (void)sac_sleep(asleep, false, ready, r, SAC_FOREVER);
}

bool sac_ring_can_take(const void *ring)
{
    /* Sequentially consistent, for sac_sleep. */
    const sac_ring *r = ring;
    return (atomic_load(&r->tail) & ~SAC_RING_CLOSED) !=
               atomic_load_explicit(&r->head, memory_order_relaxed) ||
           sac_ring_is_stopping(r);
}

/*
 * The ids may be of frames that the producer drops meanwhile, and even of newer ones in their
 * place: then head was moved, the exchange fails, and all is read again. Acquire of tail pairs with
 * the exchange in push(): frames and facts are visible. Acquire of head pairs with the producer's
 * exchange in claim_oldest(), so that a tail that is loaded afterwards is no older than head. Head
 * never comes back, so the exchange cannot mistake one time for another.
 */
int32_t sac_ring_take(sac_ring *r, uint32_t *ids, int32_t max)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
    for (;;) {
        const uint64_t tail =
            atomic_load_explicit(&r->tail, memory_order_acquire) & ~SAC_RING_CLOSED;
        const uint64_t waiting = tail - head;
        const uint64_t n = waiting < (uint64_t)max ? waiting : (uint64_t)max;
        if (n == 0)
            return 0;
        for (uint64_t i = 0; i < n; i++)
            ids[i] = atomic_load_explicit(sac_ring_waiting(r, head + i), memory_order_relaxed);
        /* Release: slots that were given back before are visible to who sees this head.
         * Sequentially consistent, for sac_wake. */
        if (atomic_compare_exchange_strong_explicit(&r->head, &head, head + n, memory_order_seq_cst,
                                                    memory_order_acquire)) {
            sac_ring_count_most(r, (int64_t)waiting);
            sac_wake(&r->producer_asleep, false);
            return (int32_t)n;
        }
    }
}

void sac_ring_give_back(sac_ring *r, const uint32_t *ids, int32_t n)
{
    const uint64_t freed = atomic_load_explicit(&r->freed, memory_order_relaxed);
    for (int32_t i = 0; i < n; i++)
        atomic_store_explicit(sac_ring_free(r, freed + (uint64_t)i), ids[i], memory_order_relaxed);
    /* The producer learns of them, and that the worker is done with their memory, by the next
     * exchange of head in sac_ring_take. */
    atomic_store_explicit(&r->freed, freed + (uint64_t)n, memory_order_relaxed);
}

bool sac_ring_close_empty(sac_ring *r)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    /* Either this comes first, and the next push fails; or a push does, and this. Nobody drops from
     * an empty ring, so head stays. */
    return atomic_compare_exchange_strong_explicit(&r->tail, &head, head | SAC_RING_CLOSED,
                                                   memory_order_relaxed, memory_order_relaxed);
}
