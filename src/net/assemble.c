/*
 * Frames from datagrams: which stream, which frame, which part of it; each datagram counted once.
 *
 * A ring has the state of the last `reach` frames by their counter. A frame in fragments gathers in
 * one of in_flight places; where all are taken, that with the lowest counter is given up.
 *
 * One datagram that does not fit what runs, since its counter is far ahead, or since it is of
 * another stream while this one has had one datagram alone, is held: where the next such datagram
 * follows it, both are taken. So none that is forged alone moves what is expected.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <string.h>

#include "base/struct.h"
#include "base/alloc.h"
#include "net/assemble.h"
#include "net/wire.h"

#define MOST_IN_FLIGHT 64
#define MOST_REACH 4096
#define MOST_SILENCE_S 1e6
#define MOST_SEEN 1024                /* streams with a key that are known again */
#define MOST_LOST (UINT64_C(1) << 32) /* frames between two that are a loss: days */

/* Of a counter within reach; from GATHERING on, the frame is in place state - GATHERING. */
enum { UNSEEN, DONE, GIVEN_UP, GATHERING };

typedef struct gathered {
    sac_frame_packet packet; /* its first that came; n_fragments 0: the place is free */
    int32_t n_missing;
    uint64_t seen[SAC_PACKET_MOST_FRAGMENTS / 64];
    uint8_t *pixels;
} gathered;

/* A datagram that waits for one that follows it. */
typedef struct held_packet {
    bool is;
    sac_packet_kind kind; /* as it is counted */
    sac_frame_packet packet;
    sac_packet_source source;
    int64_t arrival_ns;
    uint8_t *pixels;
} held_packet;

/* A stream that was taken with a key, and the highest counter that came of it. */
typedef struct seen_stream {
    uint64_t stream, highest;
} seen_stream;

/* Written by one thread and read by any, so without a read-modify-write. A frame is counted as
 * expected before it is as anything else: whoever sees the one sees the other. */
typedef _Atomic int64_t count;

struct sac_frame_assembler {
    sac_frame_receiver_desc desc;
    sac_packet_key key;
    const sac_packet_key *key_or_null;
    int64_t silence_ns;
    size_t frame_bytes;

    bool has_stream;
    bool has_taken, is_confirmed; /* one of its datagrams was taken; more than one */
    uint64_t stream;
    sac_packet_source source;
    uint64_t lowest, highest; /* counters that came */
    uint64_t floor;           /* below it nothing is new: 0 without a key */
    bool any_whole;           /* and, where one was, */
    uint64_t highest_whole;   /* its counter */
    int64_t expected_before;  /* of the streams before */
    uint8_t *state;           /* (reach), by counter % reach */
    gathered places[MOST_IN_FLIGHT];
    uint8_t *pixels;

    held_packet held;
    seen_stream *seen; /* (MOST_SEEN), the streams before, with a key; a ring */
    int64_t n_seen;
    bool has_forgotten;
    uint64_t forgotten; /* the highest number of those that the ring had no room for */

    count datagrams, kinds[SAC_PACKET_KINDS];
    count streams, expected, frames, refused, incomplete, reordered;
    count taken_ns;   /* when the last datagram was; 0: none yet */
    count other_size; /* h times 65536, and w, that the last packet of the wrong shape told */
};

static void add(count *c, int64_t n)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
                          memory_order_release);
}

void sac_frame_receiver_desc_init(sac_frame_receiver_desc *desc)
{
    if (!desc)
        return;
    *desc = (sac_frame_receiver_desc){.struct_size = sizeof *desc,
                                      .w = 96,
                                      .h = 96,
                                      .in_flight = 16,
                                      .reach = 256,
                                      .silence_s = 1,
                                      .listen = "udp://127.0.0.1:5020",
                                      .buffer_bytes = 64 << 20};
}

static sac_status check_desc(const sac_frame_receiver_desc *d, sac_error *err)
{
    if (d->w < 1 || d->h < 1 || d->w > SAC_PACKET_MOST_SIDE || d->h > SAC_PACKET_MOST_SIDE)
        return sac_fail(err, SAC_E_INVALID, "w, h: expected 1 x 1 to %d x %d, got %d x %d",
                        SAC_PACKET_MOST_SIDE, SAC_PACKET_MOST_SIDE, d->w, d->h);
    if (!d->sink.slot || !d->sink.complete)
        return sac_fail(err, SAC_E_INVALID, "sink: expected slot and complete, got NULL");
    if (d->in_flight < 1 || d->in_flight > MOST_IN_FLIGHT)
        return sac_fail(err, SAC_E_INVALID, "in_flight: expected 1 to %d, got %d", MOST_IN_FLIGHT,
                        d->in_flight);
    if (d->reach < 1 || d->reach > MOST_REACH)
        return sac_fail(err, SAC_E_INVALID, "reach: expected 1 to %d, got %d", MOST_REACH,
                        d->reach);
    if (!(d->silence_s >= 0 && d->silence_s <= MOST_SILENCE_S))
        return sac_fail(err, SAC_E_INVALID, "silence_s: expected 0 to %g s, got %g", MOST_SILENCE_S,
                        d->silence_s);
    return sac_packet_key_check(d->key, err);
}

sac_status sac_frame_assembler_open(sac_frame_assembler **out, const sac_frame_receiver_desc *desc,
                                    sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = NULL;
    sac_frame_receiver_desc own;
    sac_frame_receiver_desc_init(&own);
    sac_status st = sac_struct_take(&own, desc, "desc", err);
    desc = &own;
    if (st == SAC_OK)
        st = check_desc(desc, err);
    if (st != SAC_OK)
        return st;
    sac_frame_assembler *a = sac_alloc(1, sizeof *a);
    if (!a)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory");
    a->desc = *desc;
    a->desc.key = NULL; /* the caller's strings and key are not kept */
    a->desc.listen = a->desc.allow = NULL;
    if (desc->key) {
        a->key = *desc->key;
        a->key_or_null = &a->key;
        a->seen = sac_alloc(MOST_SEEN, sizeof *a->seen);
    }
    a->silence_ns = (int64_t)(1e9 * desc->silence_s);
    a->frame_bytes = (size_t)desc->w * (size_t)desc->h;
    a->state = sac_alloc((size_t)desc->reach, 1);
    a->pixels = sac_alloc((size_t)desc->in_flight, a->frame_bytes);
    a->held.pixels = sac_alloc(
        a->frame_bytes < SAC_PACKET_MOST_BYTES ? a->frame_bytes : SAC_PACKET_MOST_BYTES, 1);
    if (!a->state || !a->pixels || !a->held.pixels || (desc->key && !a->seen)) {
        sac_frame_assembler_close(&a);
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory for %d of %d x %d in flight",
                        desc->in_flight, desc->w, desc->h);
    }
    for (int32_t i = 0; i < desc->in_flight; i++)
        a->places[i].pixels = a->pixels + (size_t)i * a->frame_bytes;
    *out = a;
    return SAC_OK;
}

void sac_frame_assembler_close(sac_frame_assembler **assembler)
{
    if (!assembler || !*assembler)
        return;
    sac_frame_assembler *a = *assembler;
    sac_free(a->state);
    sac_free(a->pixels);
    sac_free(a->held.pixels);
    sac_free(a->seen);
    sac_packet_key_wipe(&a->key);
    sac_free(a);
    *assembler = NULL;
}

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

static void give_up(sac_frame_assembler *a, gathered *g)
{
    *state_of(a, g->packet.counter) = GIVEN_UP;
    g->packet.n_fragments = 0;
}

/* The counters up to this one come within reach, and as many others leave it. */
static void advance(sac_frame_assembler *a, uint64_t counter)
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

/* What is known of a stream that was taken with a key; NULL: never seen, or forgotten. */
static seen_stream *find_seen(const sac_frame_assembler *a, uint64_t stream)
{
    const int64_t n = a->n_seen < MOST_SEEN ? a->n_seen : MOST_SEEN;
    for (int64_t i = 0; i < n; i++)
        if (a->seen[i].stream == stream)
            return &a->seen[i];
    return NULL;
}

/* Notes how far the stream that ends has come, so that none of it is taken again. */
static void remember_stream(sac_frame_assembler *a)
{
    seen_stream *known = find_seen(a, a->stream);
    if (!known) {
        known = &a->seen[a->n_seen++ % MOST_SEEN];
        if (a->n_seen > MOST_SEEN && (!a->has_forgotten || known->stream > a->forgotten)) {
            a->has_forgotten = true;
            a->forgotten = known->stream;
        }
        *known = (seen_stream){a->stream, a->highest};
    }
    if (a->highest > known->highest)
        known->highest = a->highest;
}

/* Whether a packet can be no copy of one that came before: without a key, nobody knows. */
static bool is_fresh(const sac_frame_assembler *a, const sac_frame_packet *p)
{
    if (!a->key_or_null)
        return true;
    if (a->has_stream && p->stream == a->stream)
        return p->counter > a->highest;
    const seen_stream *known = find_seen(a, p->stream);
    return known ? p->counter > known->highest : !a->has_forgotten || p->stream > a->forgotten;
}

/* Takes up the stream that the packet is of. */
static void begin_stream(sac_frame_assembler *a, const sac_frame_packet *p,
                         const sac_packet_source *source)
{
    for (int32_t i = 0; i < a->desc.in_flight; i++)
        if (a->places[i].packet.n_fragments > 0)
            give_up(a, &a->places[i]);
    memset(a->state, UNSEEN, (size_t)a->desc.reach);
    a->held.is = false; /* it was held beside the stream before */
    a->floor = 0;
    if (a->key_or_null) {
        if (a->has_stream)
            remember_stream(a);
        const seen_stream *known = find_seen(a, p->stream);
        a->floor = known ? known->highest + 1 : 0;
    }
    a->expected_before = atomic_load_explicit(&a->expected, memory_order_relaxed);
    a->has_stream = true;
    a->has_taken = a->is_confirmed = false;
    a->stream = p->stream;
    a->source = *source;
    a->lowest = a->highest = p->counter;
    a->any_whole = false;
    add(&a->streams, 1);
    update_expected(a);
}

static bool same_source(const sac_packet_source *a, const sac_packet_source *b)
{
    return a->port == b->port && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static bool is_silent(const sac_frame_assembler *a, int64_t now_ns)
{
    return now_ns - atomic_load_explicit(&a->taken_ns, memory_order_relaxed) > a->silence_ns;
}

/* What a packet of another stream or source is; or of this one, where its counters begin anew. */
static sac_packet_kind find_other(sac_frame_assembler *a, const sac_frame_packet *p,
                                  const sac_packet_source *source, int64_t now_ns, bool *may_hold)
{
    const bool is_new = is_fresh(a, p);
    if (!a->has_stream || (is_silent(a, now_ns) && is_new)) {
        begin_stream(a, p, source);
        return SAC_PACKET_TAKEN;
    }
    *may_hold = !a->is_confirmed && is_new;
    return SAC_PACKET_STRANGER;
}

/* Moves the window to the packet's frame; or says why not, and whether it can be held. */
static sac_packet_kind find_stream(sac_frame_assembler *a, const sac_frame_packet *p,
                                   const sac_packet_source *source, int64_t now_ns, bool *may_hold)
{
    const uint64_t reach = (uint64_t)a->desc.reach;
    *may_hold = false;
    if (!a->has_stream || p->stream != a->stream || !same_source(source, &a->source))
        return find_other(a, p, source, now_ns, may_hold);
    if (p->counter > a->highest && p->counter - a->highest > reach) {
        *may_hold = true;
        return SAC_PACKET_FAR;
    }
    if (p->counter < a->highest && a->highest - p->counter >= reach) {
        if (!is_silent(a, now_ns) || !is_fresh(a, p))
            return SAC_PACKET_STALE;
        begin_stream(a, p, source);
    } else if (p->counter < a->floor) {
        return SAC_PACKET_STALE;
    } else if (p->counter > a->highest) {
        advance(a, p->counter);
    } else if (p->counter < a->lowest) {
        a->lowest = p->counter;
        update_expected(a);
    }
    return SAC_PACKET_TAKEN;
}

/* A frame that is whole goes to the sink. */
static void deliver(sac_frame_assembler *a, const sac_frame_packet *p, const uint8_t *pixels,
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
    add(slot && sink->complete(sink->ctx, &arrival) ? &a->frames : &a->refused, 1);
    if (a->any_whole && p->counter < a->highest_whole)
        add(&a->reordered, 1);
    else
        a->highest_whole = p->counter;
    a->any_whole = true;
}

/* A place for the frame; NULL where all are taken by later ones. */
static gathered *find_place(sac_frame_assembler *a, const sac_frame_packet *p)
{
    gathered *oldest = NULL;
    for (int32_t i = 0; i < a->desc.in_flight; i++) {
        gathered *g = &a->places[i];
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

static bool same_frame(const sac_frame_packet *a, const sac_frame_packet *b)
{
    return a->sent_ns == b->sent_ns && a->laser_on == b->laser_on && a->x == b->x && a->y == b->y &&
           a->n_fragments == b->n_fragments;
}

static sac_packet_kind gather(sac_frame_assembler *a, const sac_frame_packet *p,
                              const uint8_t *pixels, int64_t arrival_ns)
{
    uint8_t *state = state_of(a, p->counter);
    gathered *g = *state >= GATHERING ? &a->places[*state - GATHERING] : find_place(a, p);
    if (!g) {
        *state = GIVEN_UP;
        add(&a->incomplete, 1);
        return SAC_PACKET_STALE;
    }
    if (*state < GATHERING) {
        add(&a->incomplete, 1);
        *state = (uint8_t)(GATHERING + (g - a->places));
        g->packet = *p;
        g->n_missing = p->n_fragments;
        memset(g->seen, 0, sizeof g->seen);
    }
    uint64_t bit = UINT64_C(1) << p->fragment % 64, *seen = &g->seen[p->fragment / 64];
    if (!same_frame(&g->packet, p))
        return SAC_PACKET_MALFORMED;
    if (*seen & bit)
        return SAC_PACKET_DUPLICATE;
    size_t offset = 0, size = 0;
    (void)sac_frame_packet_part(p, &offset, &size);
    memcpy(g->pixels + offset, pixels, size);
    *seen |= bit;
    if (--g->n_missing == 0) {
        g->packet.n_fragments = 0;
        add(&a->incomplete, -1);
        deliver(a, &g->packet, g->pixels, arrival_ns);
    }
    return SAC_PACKET_TAKEN;
}

/* A packet in the window. */
static sac_packet_kind accept(sac_frame_assembler *a, const sac_frame_packet *p,
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

static void hold(sac_frame_assembler *a, const sac_frame_packet *p, const uint8_t *pixels,
                 const sac_packet_source *source, int64_t arrival_ns, sac_packet_kind kind)
{
    size_t offset = 0, size = 0;
    uint8_t *memory = a->held.pixels;
    (void)sac_frame_packet_part(p, &offset, &size);
    memcpy(memory, pixels, size);
    a->held = (held_packet){true, kind, *p, *source, arrival_ns, memory};
}

/* Whether the packet is another one of the same stream, near the one that is held. */
static bool follows_held(const sac_frame_assembler *a, const sac_frame_packet *p,
                         const sac_packet_source *source)
{
    const sac_frame_packet *h = &a->held.packet;
    if (!a->held.is || p->stream != h->stream || !same_source(source, &a->held.source))
        return false;
    const uint64_t apart =
        p->counter > h->counter ? p->counter - h->counter : h->counter - p->counter;
    return apart > 0 ? apart <= (uint64_t)a->desc.reach
                     : p->fragment != h->fragment && same_frame(p, h);
}

/* Takes what is held, and with it its stream or the part of it that is far ahead. */
static void take_held(sac_frame_assembler *a)
{
    held_packet *h = &a->held;
    h->is = false;
    if (h->kind == SAC_PACKET_FAR && h->packet.counter - a->highest <= MOST_LOST)
        advance(a, h->packet.counter);
    else
        begin_stream(a, &h->packet, &h->source);
    const sac_packet_kind kind = accept(a, &h->packet, h->pixels, h->arrival_ns);
    add(&a->kinds[kind], 1);
    add(&a->kinds[h->kind], -1);
}

static sac_packet_kind judge(sac_frame_assembler *a, const uint8_t *datagram, size_t size,
                             const sac_packet_source *source, int64_t arrival_ns)
{
    sac_frame_packet p;
    const uint8_t *pixels;
    bool may_hold = false;
    sac_packet_kind kind = sac_frame_packet_parse(&p, &pixels, datagram, size, a->key_or_null);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    if (p.w != a->desc.w || p.h != a->desc.h) {
        atomic_store_explicit(&a->other_size, (int64_t)p.h << 16 | p.w, memory_order_relaxed);
        return SAC_PACKET_WRONG_SHAPE;
    }
    kind = find_stream(a, &p, source, arrival_ns, &may_hold);
    if (may_hold && follows_held(a, &p, source)) {
        take_held(a);
        kind = find_stream(a, &p, source, arrival_ns, &may_hold);
    } else if (may_hold) {
        hold(a, &p, pixels, source, arrival_ns, kind);
    }
    return kind == SAC_PACKET_TAKEN ? accept(a, &p, pixels, arrival_ns) : kind;
}

void sac_frame_assembler_count(sac_frame_assembler *a, sac_packet_kind kind)
{
    add(&a->kinds[kind], 1);
    add(&a->datagrams, 1);
}

sac_packet_kind sac_frame_assembler_take(sac_frame_assembler *a, const uint8_t *datagram,
                                         size_t size, const sac_packet_source *source,
                                         int64_t arrival_ns)
{
    if (!a || !source)
        return SAC_PACKET_FOREIGN;
    sac_packet_kind kind = judge(a, datagram, size, source, arrival_ns);
    sac_frame_assembler_count(a, kind);
    return kind;
}

static int64_t read_count(const count *c)
{
    return atomic_load_explicit(c, memory_order_acquire);
}

void sac_frame_assembler_get_counts(const sac_frame_assembler *a, sac_frame_counts *counts)
{
    if (!a) {
        sac_struct_give(counts, &(sac_frame_counts){.struct_size = sizeof *counts});
        return;
    }
    const int64_t other_size = read_count(&a->other_size);
    sac_frame_counts c = {
        .struct_size = sizeof c,
        .datagrams = read_count(&a->datagrams),
        .streams = read_count(&a->streams),
        .frames = read_count(&a->frames),
        .refused = read_count(&a->refused),
        .incomplete = read_count(&a->incomplete),
        .reordered = read_count(&a->reordered),
        .kernel_dropped = -1,
        .taken_ns = read_count(&a->taken_ns),
        .other_w = (int32_t)(other_size & 65535),
        .other_h = (int32_t)(other_size >> 16),
    };
    c.expected = read_count(&a->expected); /* behind the others, so that lost is not below 0 */
    for (int i = 0; i < SAC_PACKET_KINDS; i++)
        c.kinds[i] = read_count(&a->kinds[i]);
    c.lost = c.expected - c.frames - c.refused;
    sac_struct_give(counts, &c);
}
