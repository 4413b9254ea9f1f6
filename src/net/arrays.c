/*
 * Frame packets of version 2, a header of 104 bytes, then samples; and either version by what is in
 * the packet.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net/wire.h"

#include <string.h>

#include "base/error.h"

enum { AT_SIGNALS = 32, AT_DTYPE = 44, AT_AXES = 45, AT_ZERO = 46, AT_SHAPE = 48 };
enum { AT_FRAGMENT = 64, AT_FRAGMENTS = 68, AT_OFFSET = 72, AT_SIZE = 80, AT_ZERO_TOO = 84 };

#define MOST_PART (SAC_PACKET_MOST_BYTES - SAC_PACKET_ARRAY_HEADER)

/* A packet of version 1 as its own functions have it; false where it cannot be one. */
static bool to_frame(sac_frame_packet *f, const sac_array_packet *p)
{
    const int64_t *n = p->shape, most = SAC_PACKET_MOST_SIDE;
    if (p->dtype != SAC_U8 || p->n_dims != 2 || n[0] < 1 || n[0] > most || n[1] < 1 || n[1] > most)
        return false;
    *f = (sac_frame_packet){.stream = p->stream,
                            .counter = p->counter,
                            .sent_ns = p->sent_ns,
                            .laser_on = p->laser_on,
                            .x = p->x,
                            .y = p->y,
                            .w = (int32_t)n[1],
                            .h = (int32_t)n[0],
                            .fragment = p->fragment,
                            .n_fragments = p->n_fragments};
    return true;
}

static sac_array_packet from_frame(const sac_frame_packet *f)
{
    return (sac_array_packet){.stream = f->stream,
                              .counter = f->counter,
                              .sent_ns = f->sent_ns,
                              .laser_on = f->laser_on,
                              .x = f->x,
                              .y = f->y,
                              .version = SAC_PACKET_VERSION,
                              .dtype = SAC_U8,
                              .n_dims = 2,
                              .shape = {f->h, f->w},
                              .fragment = f->fragment,
                              .n_fragments = f->n_fragments};
}

bool sac_array_packet_part(const sac_array_packet *p, size_t *offset, size_t *size)
{
    sac_frame_packet f;
    size_t all = 0;
    if (!p || !offset || !size)
        return false;
    if (p->version == SAC_PACKET_VERSION)
        return to_frame(&f, p) && sac_frame_packet_part(&f, offset, size);
    if (p->version != SAC_PACKET_ARRAY_VERSION || p->counter > SAC_PACKET_MOST_COUNTER ||
        sac_wire_check_array(&all, p->dtype, p->n_dims, p->shape, NULL) != SAC_OK)
        return false;
    for (int32_t i = p->n_dims; i < SAC_PACKET_MOST_AXES; i++)
        if (p->shape[i] != 0)
            return false;
    return sac_wire_may_cut(all, p->n_fragments) &&
           sac_wire_cut(offset, size, all, p->fragment, p->n_fragments, SAC_PACKET_ARRAY_HEADER);
}

size_t sac_array_packet_head(uint8_t head[SAC_PACKET_ARRAY_HEADER], const sac_array_packet *p,
                             const uint8_t *samples, const sac_packet_key *key)
{
    sac_frame_packet f;
    size_t offset, size;
    if (!head || !samples || !sac_array_packet_part(p, &offset, &size))
        return 0;
    if (p->version == SAC_PACKET_VERSION)
        return to_frame(&f, p) && sac_frame_packet_head(head, &f, samples, key) ? SAC_PACKET_HEADER
                                                                                : 0;
    sac_wire_put_begin(head, sac_wire_frame_magic, SAC_PACKET_ARRAY_VERSION,
                       SAC_PACKET_ARRAY_HEADER, key != NULL);
    sac_wire_put(head + SAC_WIRE_STREAM, 8, p->stream);
    sac_wire_put(head + SAC_WIRE_COUNTER, 8, p->counter);
    sac_wire_put(head + SAC_WIRE_SENT, 8, (uint64_t)p->sent_ns);
    sac_wire_put_signals(head + AT_SIGNALS, p->laser_on, p->x, p->y);
    sac_wire_put(head + AT_DTYPE, 1, (uint64_t)p->dtype);
    sac_wire_put(head + AT_AXES, 1, (uint64_t)p->n_dims);
    for (int i = 0; i < SAC_PACKET_MOST_AXES; i++)
        sac_wire_put(head + AT_SHAPE + 4 * i, 4, (uint64_t)p->shape[i]);
    sac_wire_put(head + AT_FRAGMENT, 4, (uint64_t)p->fragment);
    sac_wire_put(head + AT_FRAGMENTS, 4, (uint64_t)p->n_fragments);
    sac_wire_put(head + AT_OFFSET, 8, offset);
    sac_wire_put(head + AT_SIZE, 4, size);
    return sac_wire_seal(head, SAC_PACKET_ARRAY_HEADER, samples, size, key)
               ? SAC_PACKET_ARRAY_HEADER
               : 0;
}

/* The numbers of a header; those beyond an int32_t become -1, which no part has. */
static sac_array_packet read_head(const uint8_t *d)
{
    const uint64_t fragment = sac_wire_get(d + AT_FRAGMENT, 4),
                   n = sac_wire_get(d + AT_FRAGMENTS, 4);
    sac_array_packet p = {
        .stream = sac_wire_get(d + SAC_WIRE_STREAM, 8),
        .counter = sac_wire_get(d + SAC_WIRE_COUNTER, 8),
        .sent_ns = (int64_t)sac_wire_get(d + SAC_WIRE_SENT, 8),
        .version = SAC_PACKET_ARRAY_VERSION,
        .dtype = d[AT_DTYPE],
        .n_dims = d[AT_AXES],
        .fragment = fragment <= INT32_MAX ? (int32_t)fragment : -1,
        .n_fragments = n <= INT32_MAX ? (int32_t)n : -1,
    };
    sac_wire_get_signals(&p.laser_on, &p.x, &p.y, d + AT_SIGNALS);
    for (int i = 0; i < SAC_PACKET_MOST_AXES; i++)
        p.shape[i] = (int64_t)sac_wire_get(d + AT_SHAPE + 4 * i, 4);
    return p;
}

static sac_packet_kind parse_array(sac_array_packet *packet, const uint8_t **samples,
                                   const uint8_t *d, size_t size, const sac_packet_key *key)
{
    sac_packet_kind kind = sac_wire_check_begin(d, size, sac_wire_frame_magic,
                                                SAC_PACKET_ARRAY_VERSION, SAC_PACKET_ARRAY_HEADER);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    const size_t has = size - SAC_PACKET_ARRAY_HEADER;
    kind = sac_wire_check_length(sac_wire_get(d + AT_SIZE, 4), has, MOST_PART);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    kind = sac_wire_check_seal(d, SAC_PACKET_ARRAY_HEADER, d + SAC_PACKET_ARRAY_HEADER, has, key);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    const sac_array_packet p = read_head(d);
    size_t offset, part;
    if (!sac_array_packet_part(&p, &offset, &part) || part != has ||
        offset != sac_wire_get(d + AT_OFFSET, 8) || sac_wire_get(d + AT_ZERO, 2) != 0 ||
        sac_wire_get(d + AT_ZERO_TOO, 4) != 0)
        return SAC_PACKET_MALFORMED;
    *packet = p;
    *samples = d + SAC_PACKET_ARRAY_HEADER;
    return SAC_PACKET_TAKEN;
}

sac_packet_kind sac_array_packet_parse(sac_array_packet *packet, const uint8_t **samples,
                                       const uint8_t *datagram, size_t size,
                                       const sac_packet_key *key)
{
    if (!packet || !samples || (!datagram && size > 0))
        return SAC_PACKET_FOREIGN;
    if (size > SAC_WIRE_VERSION && datagram[SAC_WIRE_VERSION] == SAC_PACKET_ARRAY_VERSION)
        return parse_array(packet, samples, datagram, size, key);
    sac_frame_packet f;
    const sac_packet_kind kind = sac_frame_packet_parse(&f, samples, datagram, size, key);
    if (kind == SAC_PACKET_TAKEN)
        *packet = from_frame(&f);
    return kind;
}
