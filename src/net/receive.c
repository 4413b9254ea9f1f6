/*
 * The receiving socket: datagrams in batches, from those who may, into an assembler.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"
#include "net/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/system.h"
#include "net/assemble.h"
#include "net/wire.h"

#define BATCH 32
#define MOST_ALLOWED 64
#define MOST_BUFFER (1 << 30)

struct sac_frame_receiver {
    sac_frame_assembler *assembler;
    int fd;
    int32_t port, buffer_bytes;
    sac_packet_source allowed[MOST_ALLOWED];
    int32_t n_allowed; /* 0: all are */
    size_t frame_bytes;
    size_t most_bytes; /* of a datagram that can be of a frame here; buffers have one more */
    uint8_t *bytes;    /* (BATCH, most_bytes + 1) */
    sac_system_datagram messages[BATCH];
    struct iovec parts[BATCH];
    struct sockaddr_storage from[BATCH];
};

void sac_frame_receiver_close(sac_frame_receiver **receiver)
{
    if (!receiver || !*receiver)
        return;
    sac_frame_receiver *r = *receiver;
    if (r->fd >= 0)
        close(r->fd);
    sac_frame_assembler_close(&r->assembler);
    sac_free(r->bytes);
    sac_free(r);
    *receiver = NULL;
}

static sac_status open_socket(sac_frame_receiver *r, const sac_frame_receiver_desc *desc,
                              sac_error *err)
{
    sac_address at;
    sac_packet_source bound;
    sac_status st = sac_address_find(&at, "listen", desc->listen, err);
    if (st != SAC_OK)
        return st;
    r->fd = sac_system_socket(at.name.ss_family);
    if (r->fd < 0 || bind(r->fd, (const struct sockaddr *)&at.name, at.size) != 0 ||
        getsockname(r->fd, (struct sockaddr *)&at.name, &at.size) != 0)
        return sac_fail(err, SAC_E_IO, "listen: %.100s: %s", desc->listen, strerror(errno));
    r->buffer_bytes = sac_socket_buffer(r->fd, SO_RCVBUF, desc->buffer_bytes);
    sac_address_source(&bound, &at.name);
    r->port = bound.port;
    return SAC_OK;
}

static sac_status open_buffers(sac_frame_receiver *r, sac_error *err)
{
    size_t whole = r->assembler->frame_bytes + SAC_PACKET_ARRAY_HEADER;
    r->frame_bytes = r->assembler->frame_bytes;
    r->most_bytes = whole < SAC_PACKET_MOST_BYTES ? whole : SAC_PACKET_MOST_BYTES;
    r->bytes = sac_alloc(BATCH, r->most_bytes + 1);
    if (!r->bytes)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory");
    for (int i = 0; i < BATCH; i++) {
        r->parts[i] = (struct iovec){r->bytes + (size_t)i * (r->most_bytes + 1), r->most_bytes + 1};
        r->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &r->from[i],
            .msg_namelen = sizeof r->from[i],
            .msg_iov = &r->parts[i],
            .msg_iovlen = 1,
        };
    }
    return SAC_OK;
}

sac_status sac_frame_receiver_open(sac_frame_receiver **out, const sac_frame_receiver_desc *desc,
                                   sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_frame_receiver *r = *out = sac_alloc(1, sizeof *r);
    if (!r)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory");
    r->fd = -1;
    sac_frame_receiver_desc own;
    sac_frame_receiver_desc_init(&own);
    sac_status st = sac_struct_take(&own, desc, "desc", err);
    st = st ? st : sac_frame_assembler_open(&r->assembler, &own, err);
    if (st == SAC_OK && (own.buffer_bytes < 0 || own.buffer_bytes > MOST_BUFFER))
        st = sac_fail(err, SAC_E_INVALID, "buffer_bytes: expected 0 to %d, got %d", MOST_BUFFER,
                      own.buffer_bytes);
    if (st == SAC_OK && own.allow)
        st = sac_address_list(r->allowed, &r->n_allowed, MOST_ALLOWED, own.allow, err);
    st = st ? st : open_buffers(r, err);
    st = st ? st : open_socket(r, &own, err);
    if (st != SAC_OK)
        sac_frame_receiver_close(out);
    return st;
}

static bool is_allowed(const sac_frame_receiver *r, const sac_packet_source *source)
{
    for (int32_t i = 0; i < r->n_allowed; i++)
        if (memcmp(source->address, r->allowed[i].address, sizeof source->address) == 0)
            return true;
    return r->n_allowed == 0;
}

/* Whether a datagram is longer than a packet with a whole frame: of version 2, or of version 1,
 * whose header is shorter. */
static bool is_oversize(const sac_frame_receiver *r, const uint8_t *bytes, size_t size)
{
    const bool is_array =
        size > SAC_WIRE_VERSION && bytes[SAC_WIRE_VERSION] == SAC_PACKET_ARRAY_VERSION;
    return size > r->most_bytes || (!is_array && size > r->frame_bytes + SAC_PACKET_HEADER);
}

static void take(sac_frame_receiver *r, int i, int64_t now_ns)
{
    sac_system_datagram *m = &r->messages[i];
    sac_packet_source source;
    sac_address_source(&source, &r->from[i]);
    if (!is_allowed(r, &source))
        sac_frame_assembler_count(r->assembler, SAC_PACKET_STRANGER);
    else if ((m->msg_hdr.msg_flags & MSG_TRUNC) || is_oversize(r, r->parts[i].iov_base, m->msg_len))
        sac_frame_assembler_count(r->assembler, SAC_PACKET_OVERSIZE);
    else
        (void)sac_frame_assembler_take(r->assembler, r->parts[i].iov_base, m->msg_len, &source,
                                       now_ns);
    m->msg_hdr.msg_namelen = sizeof r->from[i];
}

/* Whether it says only that there is nothing now. */
static bool is_quiet(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

sac_status sac_frame_receiver_run(sac_frame_receiver *r, int32_t *n, int32_t timeout_ms,
                                  sac_error *err)
{
    if (n)
        *n = 0;
    if (!r)
        return sac_fail(err, SAC_E_INVALID, "receiver: is NULL");
    int came = sac_system_receive(r->fd, r->messages, BATCH);
    if (came < 0 && is_quiet(errno) && timeout_ms > 0) {
        struct pollfd wait = {.fd = r->fd, .events = POLLIN};
        if (poll(&wait, 1, timeout_ms) > 0)
            came = sac_system_receive(r->fd, r->messages, BATCH);
    }
    if (came < 0)
        return is_quiet(errno) ? SAC_OK
                               : sac_fail(err, SAC_E_IO, "port %d: %s", r->port, strerror(errno));
    int64_t now_ns = sac_clock_ns();
    for (int i = 0; i < came; i++)
        take(r, i, now_ns);
    if (n)
        *n = came;
    return SAC_OK;
}

void sac_frame_receiver_get_counts(const sac_frame_receiver *r, sac_frame_counts *counts)
{
    sac_frame_counts c = {.struct_size = sizeof c};
    sac_frame_assembler_get_counts(r ? r->assembler : NULL, &c);
    if (r)
        c.kernel_dropped = sac_system_dropped(r->fd);
    sac_struct_give(counts, &c);
}

int32_t sac_frame_receiver_get_port(const sac_frame_receiver *r)
{
    return r ? r->port : 0;
}

int32_t sac_frame_receiver_get_buffer(const sac_frame_receiver *r)
{
    return r ? r->buffer_bytes : 0;
}
