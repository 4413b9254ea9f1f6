/*
 * The window of counters within reach, and the frames that gather in it.
 *
 * A ring has the state of the last `reach` frames by their counter. A frame in fragments gathers in
 * one of in_flight places; where all are taken, that with the lowest counter is given up.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/error.h"
#include "net/assemble.h"

/* Of a counter within reach; from GATHERING on, the frame is in place state - GATHERING. */
enum { UNSEEN, DONE, GIVEN_UP, GATHERING };

static uint8_t *state_of(sac_frame_assembler *a, uint64_t counter)
{
    return &a->state[counter % (uint64_t)a->desc.reach];
}

/* Up to what the number can be: a few streams whose counters leap to their end are beyond it. */
static void update_expected(sac_frame_assembler *a)
{
    const uint64_t all = (uint64_t)a->expected_before + (a->highest - a->lowest + 1);
    atomic_store_explicit(&a->expected, all < INT64_MAX ? (int64_t)all : INT64_MAX,
                          memory_order_relaxed);
}

static void give_up(sac_frame_assembler *a, sac_gathered *g)
{
    *state_of(a, g->packet.counter) = GIVEN_UP;
    g->packet.n_fragments = 0;
}

void sac_window_begin(sac_frame_assembler *a, uint64_t counter)
{
    memset(a->state, UNSEEN, (size_t)a->desc.reach);
    for (int32_t i = 0; i < a->desc.in_flight; i++)
        a->places[i].packet.n_fragments = 0;
    a->expected_before = atomic_load_explicit(&a->expected, memory_order_relaxed);
    a->lowest = a->highest = counter;
    a->any_whole = false;
    update_expected(a);
}

void sac_window_extend(sac_frame_assembler *a, uint64_t counter)
{
    a->lowest = counter;
    update_expected(a);
}

void sac_window_advance(sac_frame_assembler *a, uint64_t counter)
{
    uint64_t reach = (uint64_t)a->desc.reach, by = counter - a->highest;
    for (uint64_t i = 0; i < (by < reach ? by : reach); i++) {
        uint8_t *state = state_of(a, counter - i);
        if (*state >= GATHERING)
            give_up(a, &a->places[*state - GATHERING]);
        *state = UNSEEN;
    }
    a->highest = counter;
    update_expected(a);
}

/* A frame that is whole goes to the sink. */
static void deliver(sac_frame_assembler *a, const sac_array_packet *p, const uint8_t *pixels,
                    int64_t arrival_ns)
{
    const sac_frame_sink *sink = &a->desc.sink;
    const sac_frame_arrival arrival = {
        .stream = p->stream,
        .counter = p->counter,
        .signals = {p->laser_on, (int32_t)(uint32_t)(p->counter & UINT32_MAX), p->x, p->y},
        .sent_ns = p->sent_ns,
        .arrival_ns = arrival_ns,
    };
    *state_of(a, p->counter) = DONE;
    uint8_t *slot = sink->slot(sink->ctx);
    if (slot)
        memcpy(slot, pixels, a->frame_bytes);
    sac_count(slot && sink->complete(sink->ctx, &arrival) ? &a->frames : &a->refused, 1);
    if (a->any_whole && p->counter < a->highest_whole)
        sac_count(&a->reordered, 1);
    else
        a->highest_whole = p->counter;
    a->any_whole = true;
}

/* A place for the frame; NULL where all are taken by later ones. */
static sac_gathered *find_place(sac_frame_assembler *a, const sac_array_packet *p)
{
    sac_gathered *oldest = NULL;
    for (int32_t i = 0; i < a->desc.in_flight; i++) {
        sac_gathered *g = &a->places[i];
        if (g->packet.n_fragments == 0)
            return g;
        if (!oldest || g->packet.counter < oldest->packet.counter)
            oldest = g;
    }
    sac_known(oldest); /* in_flight is 1 or more */
    if (oldest->packet.counter > p->counter)
        return NULL;
    give_up(a, oldest);
    return oldest;
}

bool sac_same_frame(const sac_array_packet *a, const sac_array_packet *b)
{
    return a->sent_ns == b->sent_ns && a->laser_on == b->laser_on && a->x == b->x && a->y == b->y &&
           a->n_fragments == b->n_fragments && a->version == b->version;
}

static sac_packet_kind gather(sac_frame_assembler *a, const sac_array_packet *p,
                              const uint8_t *pixels, int64_t arrival_ns)
{
    uint8_t *state = state_of(a, p->counter);
    sac_gathered *g = *state >= GATHERING ? &a->places[*state - GATHERING] : find_place(a, p);
    if (!g) {
        *state = GIVEN_UP;
        sac_count(&a->incomplete, 1);
        return SAC_PACKET_STALE;
    }
    if (*state < GATHERING) {
        sac_count(&a->incomplete, 1);
        *state = (uint8_t)(GATHERING + (g - a->places));
        g->packet = *p;
        g->n_missing = p->n_fragments;
        memset(g->seen, 0, ((size_t)p->n_fragments + 63) / 64 * sizeof *g->seen);
    }
    uint64_t bit = UINT64_C(1) << p->fragment % 64, *seen = &g->seen[p->fragment / 64];
    if (!sac_same_frame(&g->packet, p))
        return SAC_PACKET_MALFORMED;
    if (*seen & bit)
        return SAC_PACKET_DUPLICATE;
    size_t offset = 0, size = 0;
    (void)sac_array_packet_part(p, &offset, &size);
    memcpy(g->pixels + offset, pixels, size);
    *seen |= bit;
    if (--g->n_missing == 0) {
        g->packet.n_fragments = 0;
        sac_count(&a->incomplete, -1);
        deliver(a, &g->packet, g->pixels, arrival_ns);
    }
    return SAC_PACKET_TAKEN;
}

sac_packet_kind sac_window_accept(sac_frame_assembler *a, const sac_array_packet *p,
                                  const uint8_t *pixels, int64_t arrival_ns)
{
    const uint8_t state = *state_of(a, p->counter);
    sac_packet_kind kind = SAC_PACKET_TAKEN;
    if (state == DONE)
        return SAC_PACKET_DUPLICATE;
    if (state == GIVEN_UP)
        return SAC_PACKET_STALE;
    if (p->n_fragments > 1 || state >= GATHERING)
        kind = gather(a, p, pixels, arrival_ns);
    else
        deliver(a, p, pixels, arrival_ns);
    if (kind == SAC_PACKET_TAKEN) {
        a->is_confirmed = a->has_taken;
        a->has_taken = true;
        atomic_store_explicit(&a->taken_ns, arrival_ns, memory_order_relaxed);
    }
    return kind;
}
