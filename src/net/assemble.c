/*
 * Frames from datagrams: which stream, which frame, which part of it; each datagram counted once.
 *
 * One datagram that does not fit what runs, since its counter is far ahead, or since it is of
 * another stream while this one has had one datagram alone, is held: where the next such datagram
 * follows it, both are taken. So none that is forged alone moves what is expected.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/struct.h"
#include "base/alloc.h"
#include "net/assemble.h"
#include "net/wire.h"

#define MOST_REACH 4096
#define MOST_SILENCE_S 1e6
#define MOST_SEEN 1024                /* streams with a key that are known again */
#define MOST_LOST (UINT64_C(1) << 32) /* frames between two that are a loss: days */

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

/* Behind it, all frames are arrays. */
static sac_status check_desc(sac_frame_receiver_desc *d, sac_error *err)
{
    const sac_status st = sac_wire_take_shape(&d->dtype, &d->n_dims, d->shape, d->w, d->h, err);
    if (st != SAC_OK)
        return st;
    if (!d->sink.slot || !d->sink.complete)
        return sac_fail(err, SAC_E_INVALID, "sink: expected slot and complete, got NULL");
    if (d->in_flight < 1 || d->in_flight > SAC_MOST_IN_FLIGHT)
        return sac_fail(err, SAC_E_INVALID, "in_flight: expected 1 to %d, got %d",
                        SAC_MOST_IN_FLIGHT, d->in_flight);
    if (d->reach < 1 || d->reach > MOST_REACH)
        return sac_fail(err, SAC_E_INVALID, "reach: expected 1 to %d, got %d", MOST_REACH,
                        d->reach);
    if (!(d->silence_s >= 0 && d->silence_s <= MOST_SILENCE_S))
        return sac_fail(err, SAC_E_INVALID, "silence_s: expected 0 to %g s, got %g", MOST_SILENCE_S,
                        d->silence_s);
    return sac_packet_key_check(d->key, err);
}

void sac_frame_assembler_close(sac_frame_assembler **assembler)
{
    if (!assembler || !*assembler)
        return;
    sac_frame_assembler *a = *assembler;
    sac_free(a->state);
    sac_free(a->pixels);
    sac_free(a->fragments);
    sac_free(a->held.pixels);
    sac_free(a->seen);
    sac_packet_key_wipe(&a->key);
    sac_free(a);
    *assembler = NULL;
}

/* Words of a bit a fragment, for frames of so many bytes. */
static size_t most_parts(size_t bytes)
{
    const size_t small = (bytes + SAC_PACKET_LEAST_PART - 1) / SAC_PACKET_LEAST_PART;
    const size_t most = small > SAC_PACKET_MOST_FRAGMENTS ? small : SAC_PACKET_MOST_FRAGMENTS;
    return (most + 63) / 64;
}

/* By a->desc, which is sound. The caller's strings and key are not kept. */
static sac_status prepare(sac_frame_assembler *a, sac_error *err)
{
    sac_frame_receiver_desc *d = &a->desc;
    size_t bytes = 0;
    const sac_status st = sac_wire_check_array(&bytes, d->dtype, d->n_dims, d->shape, err);
    if (st != SAC_OK)
        return st;
    const size_t parts = most_parts(bytes);
    a->frame_bytes = bytes;
    a->silence_ns = (int64_t)(1e9 * d->silence_s);
    a->key_or_null = sac_packet_key_copy(&a->key, d->key);
    d->key = NULL;
    d->listen = d->allow = NULL;
    a->seen = a->key_or_null ? sac_alloc(MOST_SEEN, sizeof *a->seen) : NULL;
    a->state = sac_alloc((size_t)d->reach, 1);
    a->pixels = sac_alloc((size_t)d->in_flight, bytes);
    a->fragments = sac_alloc((size_t)d->in_flight * parts, sizeof *a->fragments);
    a->held.pixels = sac_alloc(bytes < SAC_PACKET_MOST_BYTES ? bytes : SAC_PACKET_MOST_BYTES, 1);
    if (!a->state || !a->pixels || !a->fragments || !a->held.pixels || (a->key_or_null && !a->seen))
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory for %d of %zu bytes in flight",
                        d->in_flight, bytes);
    for (int32_t i = 0; i < d->in_flight; i++) {
        a->places[i].pixels = a->pixels + (size_t)i * bytes;
        a->places[i].seen = a->fragments + (size_t)i * parts;
    }
    return SAC_OK;
}

sac_status sac_frame_assembler_open(sac_frame_assembler **out, const sac_frame_receiver_desc *desc,
                                    sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_frame_assembler *a = *out = sac_alloc(1, sizeof *a);
    if (!a)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory");
    sac_frame_receiver_desc_init(&a->desc);
    sac_status st = sac_struct_take(&a->desc, desc, "desc", err);
    st = st ? st : check_desc(&a->desc, err);
    st = st ? st : prepare(a, err);
    if (st != SAC_OK)
        sac_frame_assembler_close(out);
    return st;
}

/* What is known of a stream that was taken with a key; NULL: never seen, or forgotten. */
static sac_seen_stream *find_seen(const sac_frame_assembler *a, uint64_t stream)
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
    sac_seen_stream *known = find_seen(a, a->stream);
    if (!known) {
        known = &a->seen[a->n_seen++ % MOST_SEEN];
        if (a->n_seen > MOST_SEEN && (!a->has_forgotten || known->stream > a->forgotten)) {
            a->has_forgotten = true;
            a->forgotten = known->stream;
        }
        *known = (sac_seen_stream){a->stream, a->highest};
    }
    if (a->highest > known->highest)
        known->highest = a->highest;
}

/* Whether a packet can be no copy of one that came before: without a key, nobody knows. */
static bool is_fresh(const sac_frame_assembler *a, const sac_array_packet *p)
{
    if (!a->key_or_null)
        return true;
    if (a->has_stream && p->stream == a->stream)
        return p->counter > a->highest;
    const sac_seen_stream *known = find_seen(a, p->stream);
    return known ? p->counter > known->highest : !a->has_forgotten || p->stream > a->forgotten;
}

/* Takes up the stream that the packet is of. */
static void begin_stream(sac_frame_assembler *a, const sac_array_packet *p,
                         const sac_packet_source *source)
{
    a->held.is = false; /* it was held beside the stream before */
    a->floor = 0;
    if (a->key_or_null) {
        if (a->has_stream)
            remember_stream(a);
        const sac_seen_stream *known = find_seen(a, p->stream);
        a->floor = known ? known->highest + 1 : 0;
    }
    a->has_stream = true;
    a->has_taken = a->is_confirmed = false;
    a->stream = p->stream;
    a->source = *source;
    sac_count(&a->streams, 1);
    sac_window_begin(a, p->counter);
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
static sac_packet_kind find_other(sac_frame_assembler *a, const sac_array_packet *p,
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
static sac_packet_kind find_stream(sac_frame_assembler *a, const sac_array_packet *p,
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
        sac_window_advance(a, p->counter);
    } else if (p->counter < a->lowest) {
        sac_window_extend(a, p->counter);
    }
    return SAC_PACKET_TAKEN;
}

static void hold(sac_frame_assembler *a, const sac_array_packet *p, const uint8_t *pixels,
                 const sac_packet_source *source, int64_t arrival_ns, sac_packet_kind kind)
{
    size_t offset = 0, size = 0;
    uint8_t *memory = a->held.pixels;
    (void)sac_array_packet_part(p, &offset, &size);
    memcpy(memory, pixels, size);
    a->held = (sac_held_packet){true, kind, *p, *source, arrival_ns, memory};
}

/* Whether the packet is another one of the same stream, near the one that is held. */
static bool follows_held(const sac_frame_assembler *a, const sac_array_packet *p,
                         const sac_packet_source *source)
{
    const sac_array_packet *h = &a->held.packet;
    if (!a->held.is || p->stream != h->stream || !same_source(source, &a->held.source))
        return false;
    const uint64_t apart =
        p->counter > h->counter ? p->counter - h->counter : h->counter - p->counter;
    return apart > 0 ? apart <= (uint64_t)a->desc.reach
                     : p->fragment != h->fragment && sac_same_frame(p, h);
}

/* Takes what is held, and with it its stream or the part of it that is far ahead. */
static void take_held(sac_frame_assembler *a)
{
    sac_held_packet *h = &a->held;
    h->is = false;
    if (h->kind == SAC_PACKET_FAR && h->packet.counter - a->highest <= MOST_LOST)
        sac_window_advance(a, h->packet.counter);
    else
        begin_stream(a, &h->packet, &h->source);
    const sac_packet_kind kind = sac_window_accept(a, &h->packet, h->pixels, h->arrival_ns);
    sac_count(&a->kinds[kind], 1);
    sac_count(&a->kinds[h->kind], -1);
}

/* So that who reads it, at any time, reads one packet's: that which was being written while it read
 * is read again. */
static void note_other(sac_frame_assembler *a, const sac_array_packet *p)
{
    sac_count(&a->other_begun, 1);
    atomic_store_explicit(&a->other[0], p->dtype, memory_order_release);
    atomic_store_explicit(&a->other[1], p->n_dims, memory_order_release);
    for (int i = 0; i < SAC_PACKET_MOST_AXES; i++)
        atomic_store_explicit(&a->other[2 + i], p->shape[i], memory_order_release);
    sac_count(&a->other_done, 1);
}

static sac_packet_kind judge(sac_frame_assembler *a, const uint8_t *datagram, size_t size,
                             const sac_packet_source *source, int64_t arrival_ns)
{
    sac_array_packet p;
    const uint8_t *pixels;
    bool may_hold = false;
    sac_packet_kind kind = sac_array_packet_parse(&p, &pixels, datagram, size, a->key_or_null);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    if (p.dtype != a->desc.dtype || p.n_dims != a->desc.n_dims ||
        memcmp(p.shape, a->desc.shape, (size_t)p.n_dims * sizeof *p.shape) != 0) {
        note_other(a, &p);
        return SAC_PACKET_WRONG_SHAPE;
    }
    kind = find_stream(a, &p, source, arrival_ns, &may_hold);
    if (may_hold && follows_held(a, &p, source)) {
        take_held(a);
        kind = find_stream(a, &p, source, arrival_ns, &may_hold);
    } else if (may_hold) {
        hold(a, &p, pixels, source, arrival_ns, kind);
    }
    return kind == SAC_PACKET_TAKEN ? sac_window_accept(a, &p, pixels, arrival_ns) : kind;
}

void sac_frame_assembler_count(sac_frame_assembler *a, sac_packet_kind kind)
{
    sac_count(&a->kinds[kind], 1);
    sac_count(&a->datagrams, 1);
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

static int64_t read_count(const sac_net_count *c)
{
    return atomic_load_explicit(c, memory_order_acquire);
}

/* None, where the receiver's thread stays halfway: nobody waits for it. */
static void read_other(sac_frame_counts *c, const sac_frame_assembler *a)
{
    int64_t done, tries = 100;
    do {
        done = read_count(&a->other_done);
        c->other_dtype = (int32_t)read_count(&a->other[0]);
        c->other_n_dims = (int32_t)read_count(&a->other[1]);
        for (int i = 0; i < SAC_PACKET_MOST_AXES; i++)
            c->other_shape[i] = read_count(&a->other[2 + i]);
    } while (read_count(&a->other_begun) != done && --tries > 0);
    if (tries == 0) {
        c->other_dtype = c->other_n_dims = 0;
        memset(c->other_shape, 0, sizeof c->other_shape);
    }
    const bool is_picture = c->other_dtype == SAC_U8 && c->other_n_dims == 2;
    if (is_picture && c->other_shape[0] <= INT32_MAX && c->other_shape[1] <= INT32_MAX) {
        c->other_w = (int32_t)c->other_shape[1];
        c->other_h = (int32_t)c->other_shape[0];
    }
}

void sac_frame_assembler_get_counts(const sac_frame_assembler *a, sac_frame_counts *counts)
{
    if (!a) {
        sac_struct_give(counts, &(sac_frame_counts){.struct_size = sizeof *counts});
        return;
    }
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
    };
    read_other(&c, a);
    c.expected = read_count(&a->expected); /* behind the others, so that lost is not below 0 */
    for (int i = 0; i < SAC_PACKET_KINDS; i++)
        c.kinds[i] = read_count(&a->kinds[i]);
    c.lost = c.expected - c.frames - c.refused;
    sac_struct_give(counts, &c);
}
