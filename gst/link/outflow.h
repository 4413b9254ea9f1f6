/*
 * The sender's half of a connection: packets that wait, cut into fragments at a bounded rate, kept
 * for some time in case they are asked for again. No sockets, no clock of its own.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_OUTFLOW_H
#define SAC_LINK_OUTFLOW_H

#include "message.h"

enum { SAC_OUT_PACKETS = 1024, SAC_OUT_RESENDS = 8192 };

typedef struct sac_sent {
    sac_link_packet *packet;
    int64_t since_ns;   /* when it was queued; then when its last fragment left */
    uint32_t *again_ms; /* when each fragment was sent again; NULL: none was */
} sac_sent;

/* Sends a fragment. 1: it went; 0: no room now; -1: the connection is broken. */
typedef int (*sac_fragment_fn)(void *ctx, const sac_fragment *fragment);

typedef struct sac_outflow {
    sac_fragment_fn emit;
    void *ctx;
    uint16_t part;      /* bytes of a fragment */
    bool keeps;         /* the carrier loses messages: packets are kept to be sent again */
    int64_t rate;       /* bytes a second; 0: as many as go */
    int64_t most_bytes; /* that wait; and that are kept */
    int64_t tokens;     /* bytes that may go now */
    int64_t tokens_ns;  /* when that was so */
    sac_sent sent[SAC_OUT_PACKETS];
    uint64_t first, unsent, next; /* numbers: the oldest kept, the first not all sent, the next */
    uint32_t offset;              /* of `unsent`: bytes that left */
    int64_t kept_bytes, waiting_bytes;
    uint64_t next_key; /* above the number of the last keyframe; 0: there was none */
    bool waits_key;    /* packets are dropped until a keyframe */
    sac_range resends[SAC_OUT_RESENDS]; /* of one fragment each */
    uint32_t resend_first, n_resends;
    uint64_t n_packets, n_bytes, n_resent, n_dropped;
} sac_outflow;

void sac_outflow_open(sac_outflow *o, uint16_t part, bool keeps, int64_t rate, int64_t most_bytes);
void sac_outflow_close(sac_outflow *o);

/* Queues a packet (a reference of its own), after `form` if it is a keyframe. False: the queue is
 * full; it was dropped, with those that waited, and a keyframe must come next. */
bool sac_outflow_push(sac_outflow *o, sac_link_packet *packet, sac_link_packet *form,
                      int64_t now_ns);

/* Sends what may go. Returns when to call it again, INT64_MAX: after another push or nack; -1: the
 * connection is broken. *is_full: once the carrier has room. */
int64_t sac_outflow_run(sac_outflow *o, int64_t now_ns, bool *is_full);

/* Fragments that the receiver lacks. False: they are not kept any more; *from is the first number
 * that is. */
bool sac_outflow_nack(sac_outflow *o, const sac_range *range, int64_t now_ns, int64_t rtt_ns,
                      uint64_t *from);

#endif
