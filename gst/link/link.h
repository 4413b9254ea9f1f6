/*
 * A link: packets of a delta stream from one sender to its receivers, over UDP, TCP or SRT.
 * docs/live-format.md describes every byte, and what either side does.
 *
 *     sac_link_desc desc;
 *     sac_link_desc_init(&desc);
 *     desc.uri = "udp://:5000"; // without a host: waits for the other side
 *     desc.is_sender = true;
 *     sac_link_open(&link, &desc, &err);
 *     sac_link_send(link, bytes, size, is_key, captured_ns);
 *
 * Threads: a link has one of its own. Its functions may be called from any thread, but open and
 * close. Times are nanoseconds of this machine's CLOCK_MONOTONIC.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_LINK_H
#define SAC_LINK_LINK_H

#include <saccade/base.h>

#include "packet.h"

typedef struct sac_link sac_link;

#define SAC_LINK_TEXT 1024 /* bytes of a control text, with its zero */

typedef enum sac_link_event_type {
    SAC_LINK_CONNECTING, /* text: the address */
    SAC_LINK_CONNECTED,  /* text: the other side's address, as in the next two */
    SAC_LINK_LOST,       /* the other side is silent, or its connection broke */
    SAC_LINK_ENDED,      /* the other side said that it ends */
    SAC_LINK_REFUSED,    /* text: why; the side that connects gives up for some reasons */
    SAC_LINK_FAILED,     /* text: why; nothing more will come */
    SAC_LINK_KEY,        /* to a sender: the next packet must be a keyframe */
    SAC_LINK_UNKNOWN,    /* the other side's host has no address; it is tried again. HOST: why */
    SAC_LINK_CONTROL     /* to a sender: text from a receiver */
} sac_link_event_type;

typedef struct sac_link_event {
    sac_link_event_type type;
    char text[SAC_LINK_TEXT];
} sac_link_event;

typedef struct sac_link_desc {
    const char *uri;             /* borrowed until open returns, as the next */
    const char *passphrase_file; /* NULL: nothing is authenticated */
    bool is_sender;
    bool reconnect;      /* the side that connects tries again, for ever */
    int32_t mtu;         /* bytes of a UDP datagram or SRT message */
    int32_t latency_ms;  /* how long a packet that is not whole is waited for */
    int32_t timeout_ms;  /* silence after which the other side is lost */
    int32_t max_clients; /* that a waiting sender serves */
    int64_t queue_bytes; /* of packets that wait for one receiver, or for the application */
    int32_t max_rate;    /* Mbit/s to one receiver, so that keyframes do not overrun it; 0: none */

    /* Called from the link's thread; may call the link, but not close it. NULL: no events. */
    void (*event)(void *ctx, const sac_link_event *event);
    void *ctx;
} sac_link_desc;

typedef struct sac_link_counts {
    uint64_t clients;        /* connections that live now */
    uint64_t packets, bytes; /* sent for the first time, or delivered; bytes of packets alone */
    uint64_t wire_bytes;     /* of all messages of this side's direction, with UDP's and IP's heads
                                where each message has its own */
    uint64_t resent;         /* fragments sent again */
    uint64_t dropped;        /* packets dropped because a receiver's queue was full */
    uint64_t key_requests;   /* asked for, or passed to the application */
    uint64_t refused;        /* connections refused */
    uint64_t lost;           /* packets given up */
    uint64_t repaired;       /* packets that came whole after some of them was asked for again */
    uint64_t late;           /* fragments of packets that were delivered or given up */
    uint64_t duplicates;     /* fragments, and messages, that had come already */
    uint64_t damaged;        /* messages whose seal or content is wrong */
    uint64_t foreign;        /* messages that belong to no connection */
    uint64_t repaired_parts; /* fragments that came after they were asked for again */
    uint64_t repair_p99_ms;  /* 99 % of these came within so long after the gap was seen */
    int64_t rtt_ns, offset_ns; /* of the last connection; the other side's clock - this one's */
    bool has_offset;
} sac_link_counts;

void sac_link_desc_init(sac_link_desc *desc);

/*
 * Opens a link and starts its thread. On failure *link is NULL. SAC_E_INVALID (the desc),
 * SAC_E_UNSUPPORTED (a passphrase, or SRT, that this build lacks), SAC_E_FORMAT (the passphrase),
 * SAC_E_IO, SAC_E_NOMEM.
 */
SAC_NODISCARD sac_status sac_link_open(sac_link **link, const sac_link_desc *desc, sac_error *err);

/* Sends a packet, which is copied, to all receivers. Never waits. SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_link_send(sac_link *link, const void *bytes, size_t size, bool is_key,
                                       int64_t captured_ns);

/* What receivers get before each keyframe: the form of the pictures. */
SAC_NODISCARD sac_status sac_link_set_form(sac_link *link, const sac_link_form *form);

/* Waits until every receiver has all that was sent, but not longer than this. */
void sac_link_drain(sac_link *link, int64_t timeout_ns);

/*
 * The next packet; the caller frees it by sac_link_packet_unref. SAC_AGAIN: none came before the
 * time was up; SAC_CANCELLED: sac_link_wake; SAC_END: the sender has ended, and reconnect is false.
 * SAC_E_IO: the link failed, and reconnect is false.
 */
SAC_NODISCARD sac_status sac_link_take(sac_link *link, sac_link_packet **packet,
                                       int64_t timeout_ns);

/* While `on`, takes and drains return at once. */
void sac_link_wake(sac_link *link, bool on);

void sac_link_ask_key(sac_link *link);

/* Text from a receiver to its sender, which arrives once, and in order. SAC_E_INVALID (too long),
 * SAC_AGAIN: too many are on their way, there is no sender, or the mtu is too small for it. */
SAC_NODISCARD sac_status sac_link_control(sac_link *link, const char *text);

void sac_link_get_counts(sac_link *link, sac_link_counts *counts);

/* The port that a waiting side has got; 0 of one that connects. */
int32_t sac_link_get_port(const sac_link *link);

/* Says goodbye and frees the link. */
void sac_link_close(sac_link **link);

#endif
