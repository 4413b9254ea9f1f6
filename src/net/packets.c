/*
 * Frame packets of version 1: a header of 80 bytes, then pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net/wire.h"

#include "base/error.h"

enum { AT_SIGNALS = 32, AT_W = 44, AT_H = 46, AT_FRAGMENT = 48, AT_FRAGMENTS = 50 };
enum { AT_OFFSET = 52, AT_SIZE = 56, AT_ZERO = 60 };

int32_t sac_frame_fragments(int64_t frame_bytes, int64_t most_bytes)
{
    if (frame_bytes < 1 || most_bytes < 1)
        return 0;
    int64_t n = (frame_bytes + most_bytes - 1) / most_bytes;
    return n <= SAC_PACKET_MOST_FRAGMENTS ? (int32_t)n : 0;
}

bool sac_frame_packet_part(const sac_frame_packet *p, size_t *offset, size_t *size)
{
    if (!p || !offset || !size || p->counter > SAC_PACKET_MOST_COUNTER || p->w < 1 || p->h < 1 ||
        p->w > SAC_PACKET_MOST_SIDE || p->h > SAC_PACKET_MOST_SIDE ||
        p->n_fragments > SAC_PACKET_MOST_FRAGMENTS)
        return false;
    return sac_wire_cut(offset, size, (size_t)p->w * (size_t)p->h, p->fragment, p->n_fragments,
                        SAC_PACKET_HEADER);
}

bool sac_frame_packet_head(uint8_t head[SAC_PACKET_HEADER], const sac_frame_packet *p,
                           const uint8_t *pixels, const sac_packet_key *key)
{
    size_t offset, size;
    if (!head || !pixels || !sac_frame_packet_part(p, &offset, &size))
        return false;
    sac_wire_put_begin(head, sac_wire_frame_magic, SAC_PACKET_VERSION, SAC_PACKET_HEADER,
                       key != NULL);
    sac_wire_put(head + SAC_WIRE_STREAM, 8, p->stream);
    sac_wire_put(head + SAC_WIRE_COUNTER, 8, p->counter);
    sac_wire_put(head + SAC_WIRE_SENT, 8, (uint64_t)p->sent_ns);
    sac_wire_put_signals(head + AT_SIGNALS, p->laser_on, p->x, p->y);
    sac_wire_put(head + AT_W, 2, (uint64_t)p->w);
    sac_wire_put(head + AT_H, 2, (uint64_t)p->h);
    sac_wire_put(head + AT_FRAGMENT, 2, (uint64_t)p->fragment);
    sac_wire_put(head + AT_FRAGMENTS, 2, (uint64_t)p->n_fragments);
    sac_wire_put(head + AT_OFFSET, 4, offset);
    sac_wire_put(head + AT_SIZE, 4, size);
    return sac_wire_seal(head, SAC_PACKET_HEADER, pixels, size, key);
}

sac_packet_kind sac_frame_packet_parse(sac_frame_packet *packet, const uint8_t **pixels,
                                       const uint8_t *datagram, size_t size,
                                       const sac_packet_key *key)
{
    const uint8_t *d = datagram;
    if (!packet || !pixels || (!d && size > 0))
        return SAC_PACKET_FOREIGN;
    sac_packet_kind kind =
        sac_wire_check_begin(d, size, sac_wire_frame_magic, SAC_PACKET_VERSION, SAC_PACKET_HEADER);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    sac_known(d);
    uint64_t has = size - SAC_PACKET_HEADER, says = sac_wire_get(d + AT_SIZE, 4);
    kind = sac_wire_check_length(says, has, SAC_PACKET_MOST_BYTES - SAC_PACKET_HEADER);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    kind = sac_wire_check_seal(d, SAC_PACKET_HEADER, d + SAC_PACKET_HEADER, (size_t)has, key);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    sac_frame_packet p = {
        .stream = sac_wire_get(d + SAC_WIRE_STREAM, 8),
        .counter = sac_wire_get(d + SAC_WIRE_COUNTER, 8),
        .sent_ns = (int64_t)sac_wire_get(d + SAC_WIRE_SENT, 8),
        .w = (int32_t)sac_wire_get(d + AT_W, 2),
        .h = (int32_t)sac_wire_get(d + AT_H, 2),
        .fragment = (int32_t)sac_wire_get(d + AT_FRAGMENT, 2),
        .n_fragments = (int32_t)sac_wire_get(d + AT_FRAGMENTS, 2),
    };
    sac_wire_get_signals(&p.laser_on, &p.x, &p.y, d + AT_SIGNALS);
    size_t offset, part;
    if (!sac_frame_packet_part(&p, &offset, &part) || part != has ||
        offset != sac_wire_get(d + AT_OFFSET, 4) || sac_wire_get(d + AT_ZERO, 4) != 0)
        return SAC_PACKET_MALFORMED;
    *packet = p;
    *pixels = d + SAC_PACKET_HEADER;
    return SAC_PACKET_TAKEN;
}
