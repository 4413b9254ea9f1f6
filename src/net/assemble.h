/*
 * Frames from datagrams, between the assembler's files; and what a receiver knows before them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_NET_ASSEMBLE_H
#define SAC_NET_ASSEMBLE_H

#include <stdatomic.h>

#include <saccade/frame_link.h>

#define SAC_MOST_IN_FLIGHT 64

typedef struct sac_gathered {
    sac_array_packet packet; /* its first that came; n_fragments 0: the place is free */
    int32_t n_missing;
    uint64_t *seen; /* a bit a fragment: as many as a frame of this size can have */
    uint8_t *pixels;
} sac_gathered;

/* A datagram that waits for one that follows it. */
typedef struct sac_held_packet {
    bool is;
    sac_packet_kind kind; /* as it is counted */
    sac_array_packet packet;
    sac_packet_source source;
    int64_t arrival_ns;
    uint8_t *pixels;
} sac_held_packet;

/* A stream that was taken with a key, and the highest counter that came of it. */
typedef struct sac_seen_stream {
    uint64_t stream, highest;
} sac_seen_stream;

/* Written by one thread and read by any, so without a read-modify-write. A frame is counted as
 * expected before it is as anything else: whoever sees the one sees the other. */
typedef _Atomic int64_t sac_net_count;

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
    sac_gathered places[SAC_MOST_IN_FLIGHT];
    uint8_t *pixels;
    uint64_t *fragments; /* of all places */

    sac_held_packet held;
    sac_seen_stream *seen; /* a ring of MOST_SEEN:, the streams before, with a key */
    int64_t n_seen;
    bool has_forgotten;
    uint64_t forgotten; /* the highest number of those that the ring had no room for */

    sac_net_count datagrams, kinds[SAC_PACKET_KINDS];
    sac_net_count streams, expected, frames, refused, incomplete, reordered;
    sac_net_count taken_ns;                        /* when the last datagram was; 0: none yet */
    sac_net_count other[2 + SAC_PACKET_MOST_AXES]; /* dtype, axes and shape in the last packet of
                                                      the wrong shape, written between two */
    sac_net_count other_begun, other_done;         /* of which the counts are equal else */
};

static inline void sac_count(sac_net_count *c, int64_t n)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
                          memory_order_release);
}

/* Counts a datagram of a kind that the socket tells. */
void sac_frame_assembler_count(sac_frame_assembler *assembler, sac_packet_kind kind);

/* The window of counters within reach, in gather.c. A new stream begins with this counter. */
void sac_window_begin(sac_frame_assembler *assembler, uint64_t counter);

/* The counters up to this one come within reach, and as many others leave it. */
void sac_window_advance(sac_frame_assembler *assembler, uint64_t counter);

/* This counter, below all others of the stream but within reach, was sent as well. */
void sac_window_extend(sac_frame_assembler *assembler, uint64_t counter);

/* A packet of a counter within the window: of a frame, which goes to the sink when it is whole. */
sac_packet_kind sac_window_accept(sac_frame_assembler *assembler, const sac_array_packet *packet,
                                  const uint8_t *pixels, int64_t arrival_ns);

/* Whether two packets of a stream and counter are parts of one frame. */
bool sac_same_frame(const sac_array_packet *a, const sac_array_packet *b);

#endif
