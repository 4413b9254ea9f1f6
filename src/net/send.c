/*
 * The sending socket: frames at their time, cut into packets, as many at once as are due.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/struct.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/relax.h"
#include "base/system.h"
#include "net/address.h"
#include "net/faults.h"
#include "net/wire.h"

#define BATCH 32
#define SPIN_NS 60000  /* before a frame's time: what a sleep may take too long, and some more */
#define MOST_WAITS 200 /* for room in the system's queues, until a datagram leaves again: */
#define WAIT_NS 50000  /* 10 ms in all */
#define LEAST_RATE_HZ 1e-6 /* so that times are numbers for a while */
#define MOST_RATE_HZ 1e9
#define MOST_BUFFER (1 << 30)

struct sac_frame_sender {
    sac_frame_sender_desc desc; /* without the caller's pointers */
    char to[104];               /* for errors */
    sac_packet_key key;
    const sac_packet_key *key_or_null;
    int fd;
    sac_array_packet packet; /* what all have in common */
    size_t frame_bytes;
    int64_t start_ns; /* of frame 0 */
    sac_faults faults;
    bool needs_signals;
    int error; /* errno of a send that failed; 0: none */
    int waits; /* for room, that the datagrams may still have */

    sac_datagram queue[BATCH];
    sac_system_datagram messages[BATCH];
    struct iovec parts[BATCH][2];
    int n_queued;
    bool borrowed; /* one of them lies in the faults' memory, which they may use again */
};

void sac_frame_sender_desc_init(sac_frame_sender_desc *desc)
{
    if (!desc)
        return;
    *desc = (sac_frame_sender_desc){.struct_size = sizeof *desc,
                                    .w = 96,
                                    .h = 96,
                                    .faults = {.seed = 1},
                                    .buffer_bytes = 4 << 20};
}

/* Behind it, all frames are arrays; *is_array where they were given as such. */
static sac_status check_desc(sac_frame_sender_desc *d, bool *is_array, sac_error *err)
{
    const int most = d->n_dims ? INT32_MAX : SAC_PACKET_MOST_FRAGMENTS;
    const int head = d->n_dims ? SAC_PACKET_ARRAY_HEADER : SAC_PACKET_HEADER;
    *is_array = d->n_dims != 0;
    const sac_status st = sac_wire_take_shape(&d->dtype, &d->n_dims, d->shape, d->w, d->h, err);
    if (st != SAC_OK)
        return st;
    if (d->fragments < 0 || d->fragments > most)
        return sac_fail(err, SAC_E_INVALID, "fragments: expected 0 to %d, got %d", most,
                        d->fragments);
    if (d->packet_bytes != 0 &&
        (d->packet_bytes <= head || d->packet_bytes > SAC_PACKET_MOST_BYTES))
        return sac_fail(err, SAC_E_INVALID, "packet_bytes: expected %d to %d, got %d", head + 1,
                        SAC_PACKET_MOST_BYTES, d->packet_bytes);
    if (d->rate_hz != 0 && !(d->rate_hz >= LEAST_RATE_HZ && d->rate_hz <= MOST_RATE_HZ))
        return sac_fail(err, SAC_E_INVALID, "rate_hz: expected 0, or %g to %g frames/s, got %g",
                        LEAST_RATE_HZ, MOST_RATE_HZ, d->rate_hz);
    if (d->n_frames < 0 || d->buffer_bytes < 0 || d->buffer_bytes > MOST_BUFFER)
        return sac_fail(err, SAC_E_INVALID,
                        "n_frames, buffer_bytes: expected 0 or more, got %lld, %d",
                        (long long)d->n_frames, d->buffer_bytes);
    return sac_packet_key_check(d->key, err);
}

/* Into how many packets of a version a frame is cut; into part_bytes what each has. False: it
 * cannot be. */
static bool cut(sac_frame_sender *s, int32_t version, size_t *part_bytes)
{
    const sac_frame_sender_desc *d = &s->desc;
    const int64_t all = (int64_t)s->frame_bytes;
    const int64_t most = d->packet_bytes ? d->packet_bytes : SAC_PACKET_MOST_BYTES;
    const int64_t head =
        version == SAC_PACKET_VERSION ? SAC_PACKET_HEADER : SAC_PACKET_ARRAY_HEADER;
    const int64_t each = d->fragments ? (all + d->fragments - 1) / d->fragments : most - head;
    size_t offset;
    s->packet.version = version;
    s->packet.n_fragments = (int32_t)((all + each - 1) / each);
    return sac_array_packet_part(&s->packet, &offset, part_bytes);
}

/* Version 1 where it can be, which every receiver understands. */
static sac_status choose_fragments(sac_frame_sender *s, bool is_array, size_t *part_bytes,
                                   sac_error *err)
{
    const sac_frame_sender_desc *d = &s->desc;
    if (cut(s, SAC_PACKET_VERSION, part_bytes) ||
        (is_array && cut(s, SAC_PACKET_ARRAY_VERSION, part_bytes)))
        return SAC_OK;
    const int most = d->packet_bytes ? d->packet_bytes : SAC_PACKET_MOST_BYTES;
    return is_array ? sac_fail(err, SAC_E_INVALID,
                               "fragments: a frame of %zu bytes cannot travel in %d packets of at "
                               "most %d bytes, each with %d or more",
                               s->frame_bytes, s->packet.n_fragments, most, SAC_PACKET_LEAST_PART)
                    : sac_fail(err, SAC_E_INVALID,
                               "fragments: a frame of %d x %d cannot travel in at most %d packets "
                               "of at most %d bytes",
                               d->w, d->h, d->fragments ? d->fragments : SAC_PACKET_MOST_FRAGMENTS,
                               most);
}

/* Later streams have higher numbers, which is what a receiver with a key insists on. */
static uint64_t make_stream(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    return ms << 22 | (sac_system_chance() >> 10);
}

/* Where the system has no room for a datagram: waits a little, or gives it up. Returns how many are
 * given up. Behind one that was, no other waits before one has left. */
static int wait_for_room(sac_frame_sender *s)
{
    if (s->waits > 0) {
        s->waits--;
        sac_clock_sleep_until(sac_clock_ns() + WAIT_NS);
        return 0;
    }
    s->faults.sent.no_room++;
    s->faults.sent.datagrams--;
    return 1;
}

/* What is queued leaves. */
static void flush(sac_frame_sender *s)
{
    int done = 0;
    for (int i = 0; i < s->n_queued; i++) {
        sac_datagram *d = &s->queue[i];
        size_t head = d->size < d->head_bytes ? d->size : d->head_bytes;
        s->parts[i][0] = (struct iovec){d->head, head};
        s->parts[i][1] = (struct iovec){(void *)(uintptr_t)d->pixels, d->size - head};
        s->messages[i].msg_hdr = (struct msghdr){.msg_iov = s->parts[i], .msg_iovlen = 2};
    }
    while (done < s->n_queued && !s->error) {
        int n = sac_system_send(s->fd, s->messages + done, (unsigned)(s->n_queued - done), true);
        if (n > 0) {
            done += n;
            s->waits = MOST_WAITS;
        } else if (errno == ECONNREFUSED) {
            s->faults.sent.unheard++; /* told of a datagram before; this one is still to go */
        } else if (errno == ENOBUFS || errno == EAGAIN || errno == ENOMEM) {
            done += wait_for_room(s);
        } else if (errno != EINTR) {
            s->error = errno;
        }
    }
    s->n_queued = 0;
    s->borrowed = false;
}

static void enqueue(void *ctx, const sac_datagram *d)
{
    sac_frame_sender *s = ctx;
    if (s->n_queued == BATCH)
        flush(s);
    s->queue[s->n_queued++] = *d;
    const uint8_t *held = s->faults.pixels;
    s->borrowed |= d->pixels >= held && d->pixels < held + SAC_FAULTS_HELD * s->faults.part_bytes;
}

void sac_frame_sender_close(sac_frame_sender **sender)
{
    if (!sender || !*sender)
        return;
    sac_frame_sender *s = *sender;
    if (s->fd >= 0) {
        sac_faults_flush(&s->faults);
        flush(s);
        close(s->fd);
    }
    sac_faults_close(&s->faults);
    sac_packet_key_wipe(&s->key);
    sac_free(s);
    *sender = NULL;
}

/* By s->desc, which is sound. */
static sac_status prepare(sac_frame_sender *s, bool is_array, sac_error *err)
{
    sac_frame_sender_desc *d = &s->desc;
    size_t part_bytes = 0;
    s->key_or_null = sac_packet_key_copy(&s->key, d->key);
    s->packet = (sac_array_packet){
        .stream = d->stream ? d->stream : make_stream(), .dtype = d->dtype, .n_dims = d->n_dims};
    memcpy(s->packet.shape, d->shape, (size_t)d->n_dims * sizeof *d->shape);
    sac_status st = sac_wire_check_array(&s->frame_bytes, d->dtype, d->n_dims, d->shape, err);
    st = st ? st : choose_fragments(s, is_array, &part_bytes, err);
    st = st ? st : sac_faults_open(&s->faults, &d->faults, part_bytes, err);
    st = st ? st : sac_address_connect(&s->fd, "to", d->to, d->buffer_bytes, err);
    s->faults.emit = enqueue;
    s->faults.ctx = s;
    s->faults.last = d->n_frames - 1;
    snprintf(s->to, sizeof s->to, "%s", d->to ? d->to : "");
    d->to = NULL;
    d->key = NULL;
    return st;
}

sac_status sac_frame_sender_open(sac_frame_sender **out, const sac_frame_sender_desc *desc,
                                 sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_frame_sender *s = *out = sac_alloc(1, sizeof *s);
    if (!s)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory");
    s->fd = -1;
    s->waits = MOST_WAITS;
    sac_frame_sender_desc_init(&s->desc);
    sac_status st = sac_struct_take(&s->desc, desc, "desc", err);
    bool is_array = false;
    st = st ? st : check_desc(&s->desc, &is_array, err);
    st = st ? st : prepare(s, is_array, err);
    s->needs_signals = !is_array;
    if (st != SAC_OK)
        sac_frame_sender_close(out);
    return st;
}

/* Until `due`: asleep as long as a sleep can be trusted. */
static void wait_until(int64_t due_ns)
{
    int64_t left = due_ns - sac_clock_ns();
    if (left > SPIN_NS)
        sac_clock_sleep_until(due_ns - SPIN_NS);
    while (sac_clock_ns() < due_ns)
        sac_relax();
}

/* When the frame is due; what is queued does not wait for it. */
static int64_t time_of(sac_frame_sender *s, int64_t frame)
{
    int64_t now_ns = sac_clock_ns();
    if (frame == 0)
        s->start_ns = now_ns;
    if (s->desc.rate_hz <= 0)
        return now_ns;
    int64_t due_ns = s->start_ns + (int64_t)((double)frame * (1e9 / s->desc.rate_hz));
    if (due_ns > now_ns) {
        flush(s);
        wait_until(due_ns);
    } else if (now_ns - due_ns > s->faults.sent.most_behind_ns) {
        s->faults.sent.most_behind_ns = now_ns - due_ns;
    }
    return due_ns;
}

static bool send_frame(sac_frame_sender *s, const uint8_t *pixels,
                       const sac_meltpool_signals *signals, int64_t frame)
{
    sac_array_packet p = s->packet;
    p.counter = (uint64_t)frame;
    p.sent_ns = time_of(s, frame);
    if (signals) {
        p.laser_on = signals->laser_on;
        p.x = signals->x;
        p.y = signals->y;
    }
    for (p.fragment = 0; p.fragment < p.n_fragments && !s->error; p.fragment++) {
        sac_datagram d = {.frame = (uint64_t)frame};
        size_t offset = 0, size = 0;
        if (!sac_array_packet_part(&p, &offset, &size))
            return false;
        d.head_bytes = sac_array_packet_head(d.head, &p, pixels + offset, s->key_or_null);
        if (d.head_bytes == 0)
            return false;
        d.pixels = pixels + offset;
        d.size = d.head_bytes + size;
        sac_faults_send(&s->faults, &d);
        if (s->borrowed)
            flush(s);
    }
    s->faults.sent.frames++;
    return true;
}

sac_status sac_frame_sender_send(sac_frame_sender *s, const uint8_t *frames,
                                 const sac_meltpool_signals *signals, int64_t n, sac_error *err)
{
    if (!s || n < 0 || (n > 0 && (!frames || (!signals && s->needs_signals))))
        return sac_fail(err, SAC_E_INVALID, "%s",
                        !s       ? "sender: is NULL"
                        : n < 0  ? "n: is below 0"
                        : frames ? "signals: is NULL"
                                 : "frames: is NULL");
    for (int64_t i = 0; i < n && !s->error; i++)
        if (!send_frame(s, frames + (size_t)i * s->frame_bytes, signals ? &signals[i] : NULL,
                        s->faults.sent.frames))
            return sac_fail(err, SAC_E_INVALID, "frames: too many for one stream");
    flush(s);
    return s->error ? sac_fail(err, SAC_E_IO, "%s: %s", s->to, strerror(s->error)) : SAC_OK;
}

void sac_frame_sender_get_sent(const sac_frame_sender *s, sac_frame_sent *sent)
{
    sac_frame_sent own = s ? s->faults.sent : (sac_frame_sent){0};
    own.struct_size = sizeof own;
    sac_struct_give(sent, &own);
}

int32_t sac_frame_sender_get_fragments(const sac_frame_sender *s)
{
    return s ? s->packet.n_fragments : 0;
}
