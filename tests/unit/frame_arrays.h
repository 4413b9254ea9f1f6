/*
 * Packets of version 2 that tests write, and frames for them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRAME_ARRAYS_H
#define FRAME_ARRAYS_H

#include "test_frame_link.h"

#include "net/wire.h"

enum { HEAD = SAC_PACKET_ARRAY_HEADER };

static const sac_packet_source home = {{127, 1}, 4000};
static const sac_packet_key a_key = {{1, 2, 3}};

static inline sac_array_packet an_array(void)
{
    const sac_meltpool_signals s = scene_signals(5);
    return (sac_array_packet){.stream = STREAM,
                              .counter = 5,
                              .sent_ns = -7,
                              .laser_on = s.laser_on,
                              .x = s.x,
                              .y = s.y,
                              .version = SAC_PACKET_ARRAY_VERSION,
                              .dtype = SAC_C64,
                              .n_dims = 3,
                              .shape = {2, 3, 5},
                              .n_fragments = 1};
}

static inline size_t bytes_of(const sac_array_packet *p)
{
    size_t all = 0;
    assert_int_equal(sac_wire_check_array(&all, p->dtype, p->n_dims, p->shape, NULL), SAC_OK);
    return all;
}

/* A datagram with the part of the packet's frame, all of which is `frame`; free() it. */
static inline uint8_t *write_part(size_t *size, const sac_array_packet *p, const uint8_t *frame,
                                  const sac_packet_key *key)
{
    size_t offset, part;
    uint8_t head[HEAD];
    assert_true(sac_array_packet_part(p, &offset, &part));
    const size_t n = sac_array_packet_head(head, p, frame + offset, key);
    assert_true(n > 0);
    uint8_t *datagram = malloc(n + part); /* exactly: a sanitizer sees what reads beyond */
    assert_non_null(datagram);
    memcpy(datagram, head, n);
    memcpy(datagram + n, frame + offset, part);
    *size = n + part;
    return datagram;
}

/* The packet's whole frame. */
static inline uint8_t *draw_frame(const sac_array_packet *p)
{
    const size_t all = bytes_of(p);
    uint8_t *frame = malloc(all);
    assert_non_null(frame);
    scene_draw(frame, p->counter, all);
    return frame;
}

#endif
