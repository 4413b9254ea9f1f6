/*
 * Frames over a network: a sender that keeps a rate and can be told to lose some, a receiver that
 * puts them together and counts whatever else comes, and results on their way back. In
 * libsaccade-io; docs/frame-format.md has the format, docs/real-time.md what to set a machine to.
 *
 * Threads: different objects may be used at the same time; one of them by one thread at a time,
 * but for what says "from any thread". Strings and keys given at open are copied; a key's copy is
 * wiped at close. A NULL where none is taken is SAC_E_INVALID, and of a getter all 0.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_FRAME_LINK_H
#define SACCADE_FRAME_LINK_H

#include <saccade/frame_packets.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A frame that is whole. */
typedef struct sac_frame_arrival {
    uint64_t stream, counter;
    sac_meltpool_signals signals; /* counter: the low 32 bits */
    int64_t sent_ns;              /* by the sender's clock */
    int64_t arrival_ns;           /* of the datagram that made it whole, by the monotonic clock */
} sac_frame_arrival;

/* Where frames go. Both are called by the thread that receives, in turn. */
typedef struct sac_frame_sink {
    uint8_t *(*slot)(void *ctx); /* room for (h, w) pixels; NULL: none, the frame is refused */
    bool (*complete)(void *ctx,
                     const sac_frame_arrival *frame); /* the slot has it; false: refused */
    void *ctx;
} sac_frame_sink;

/* Who sent a datagram. */
typedef struct sac_packet_source {
    uint8_t address[16]; /* of IPv6; ::ffff:a.b.c.d of IPv4 */
    uint16_t port;
} sac_packet_source;

/*
 * What came. Each datagram is of exactly one kind: they add up to `datagrams`. And expected =
 * frames + refused + lost.
 */
typedef struct sac_frame_counts {
    size_t struct_size;
    int64_t datagrams, kinds[SAC_PACKET_MOST_KINDS];
    int64_t streams;        /* that were taken up, one after the other */
    int64_t expected;       /* frames, from each stream's lowest counter that came to its highest */
    int64_t frames;         /* whole, and taken by the sink */
    int64_t refused;        /* whole, and not */
    int64_t lost;           /* all others; a frame of which some is still to come is one, too */
    int64_t incomplete;     /* of the lost, those of which some fragments came */
    int64_t reordered;      /* whole later than a frame with a higher counter */
    int64_t kernel_dropped; /* datagrams that the system had no room for, and of which nothing above
                               tells; -1: it does not say. A receiver's alone */
    int64_t taken_ns;       /* when the last datagram was taken, by the monotonic clock; 0: none */
    int32_t other_w, other_h; /* the size that the last packet of the wrong shape told; 0: none */
} sac_frame_counts;

typedef struct sac_frame_receiver_desc {
    size_t struct_size;
    int32_t w, h; /* of every frame, 1..4096; default 96, 96 */
    sac_frame_sink sink;
    int32_t in_flight; /* frames that wait for fragments at once, 1..64; default 16 */
    int32_t reach;    /* a datagram so many frames behind the newest is stale, and one further ahead
                         waits for the next to follow it, 1..4096; default 256 */
    double silence_s; /* another stream is taken up where this one has been silent so long,
                         0..1e6; default 1 */
    const sac_packet_key *key; /* copied; NULL: none, and packets with tags are refused */

    /* A receiver's alone. */
    const char *listen;   /* "udp://HOST:PORT"; default "udp://127.0.0.1:5020". Port 0: any */
    const char *allow;    /* numeric addresses of senders, joined by commas; NULL: all */
    int32_t buffer_bytes; /* of the socket; default 64 MB. The system may give less */
} sac_frame_receiver_desc;

SAC_API void sac_frame_receiver_desc_init(sac_frame_receiver_desc *desc);

/* Puts frames together from datagrams of any origin. One thread at a time. */
typedef struct sac_frame_assembler sac_frame_assembler;

/* SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED (a key in a build that cannot use it). */
SAC_API SAC_NODISCARD sac_status sac_frame_assembler_open(sac_frame_assembler **out,
                                                          const sac_frame_receiver_desc *desc,
                                                          sac_error *err);

/* A datagram. Allocates nothing; never fails: whatever it is, it is counted. One that is held (far,
 * or a stranger's) is counted again, as what it is then, when the next one follows it. */
SAC_API sac_packet_kind sac_frame_assembler_take(sac_frame_assembler *assembler,
                                                 const uint8_t *datagram, size_t size,
                                                 const sac_packet_source *source,
                                                 int64_t arrival_ns);

/* From any thread, at any time. kernel_dropped is -1. */
SAC_API void sac_frame_assembler_get_counts(const sac_frame_assembler *assembler,
                                            sac_frame_counts *counts);
SAC_API void sac_frame_assembler_close(sac_frame_assembler **assembler);

/* An assembler with a socket. */
typedef struct sac_frame_receiver sac_frame_receiver;

/* SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED, SAC_E_IO (no such host; the port is taken). */
SAC_API SAC_NODISCARD sac_status sac_frame_receiver_open(sac_frame_receiver **out,
                                                         const sac_frame_receiver_desc *desc,
                                                         sac_error *err);

/*
 * Takes what waits at the socket, up to 32 datagrams, and where nothing does waits for some up to
 * timeout_ms (0: not at all, so that a thread can spin). *n, which may be NULL: how many came; 0
 * also where a signal ended the wait. Allocates nothing. SAC_E_IO, SAC_E_INVALID (NULL).
 */
SAC_API SAC_NODISCARD sac_status sac_frame_receiver_run(sac_frame_receiver *receiver, int32_t *n,
                                                        int32_t timeout_ms, sac_error *err);

/* From any thread, at any time. */
SAC_API void sac_frame_receiver_get_counts(const sac_frame_receiver *receiver,
                                           sac_frame_counts *counts);

/* The port that it listens at, and the bytes that the system gave its buffer. */
SAC_API int32_t sac_frame_receiver_get_port(const sac_frame_receiver *receiver);
SAC_API int32_t sac_frame_receiver_get_buffer(const sac_frame_receiver *receiver);
SAC_API void sac_frame_receiver_close(sac_frame_receiver **receiver);

/*
 * Faults on purpose, each a share 0..1 of datagrams, together at most 1; a datagram has at most one
 * of them. Those of the first frame, and of the last where n_frames tells it, have none: so a
 * receiver can know of every frame that is lost.
 */
typedef struct sac_frame_faults {
    double loss;      /* never sent */
    double reorder;   /* sent behind the next datagram of a later frame */
    double duplicate; /* sent twice */
    double truncate;  /* cut short, somewhere */
    uint64_t seed;    /* the same gives the same faults */
} sac_frame_faults;

typedef struct sac_frame_sender_desc {
    size_t struct_size;
    const char *to;            /* "udp://HOST:PORT" */
    int32_t w, h;              /* of every frame; default 96, 96 */
    int32_t fragments;         /* packets of a frame; default 0: as few as packet_bytes takes */
    int32_t packet_bytes;      /* of a datagram at most; default 0: 65507 */
    double rate_hz;            /* of frames, 1e-6..1e9; default 0: as fast as they go */
    int64_t n_frames;          /* that will be sent in all; default 0: not known */
    uint64_t stream;           /* its number; default 0: made of the time and chance */
    sac_frame_faults faults;   /* default: none, seed 1 */
    const sac_packet_key *key; /* copied; NULL: none */
    int32_t buffer_bytes;      /* of the socket; default 4 MB */
} sac_frame_sender_desc;

SAC_API void sac_frame_sender_desc_init(sac_frame_sender_desc *desc);

/* What was sent, and what was done to it. */
typedef struct sac_frame_sent {
    size_t struct_size;
    int64_t frames, datagrams;                      /* datagrams that left */
    int64_t lost, reordered, duplicated, truncated; /* datagrams, on purpose */
    int64_t hurt;           /* frames that cannot be whole: some of them was lost or truncated */
    int64_t unheard;        /* times that the other side said that nobody listens */
    int64_t most_behind_ns; /* how far behind its time the latest frame began to leave */
    int64_t no_room; /* datagrams given up, since the system had no room for them for 10 ms */
} sac_frame_sent;

typedef struct sac_frame_sender sac_frame_sender;

/* SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED, SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_frame_sender_open(sac_frame_sender **out,
                                                       const sac_frame_sender_desc *desc,
                                                       sac_error *err);

/*
 * Sends n frames, (n, h, w), with their signals (n), each at its time by the rate: the first of all
 * at once. Frames are numbered from 0, whatever their signals.counter. Sleeps, and before a frame's
 * time spins. Allocates nothing. SAC_E_IO; SAC_E_INVALID (NULL, n below 0, more frames than a
 * stream has numbers).
 */
SAC_API SAC_NODISCARD sac_status sac_frame_sender_send(sac_frame_sender *sender,
                                                       const uint8_t *frames,
                                                       const sac_meltpool_signals *signals,
                                                       int64_t n, sac_error *err);
SAC_API void sac_frame_sender_get_sent(const sac_frame_sender *sender, sac_frame_sent *sent);

/* How many packets a frame is sent in. */
SAC_API int32_t sac_frame_sender_get_fragments(const sac_frame_sender *sender);

/* Sends what a fault still holds back, frees and NULLs *sender. */
SAC_API void sac_frame_sender_close(sac_frame_sender **sender);

/* Results to whoever controls the machine. */
typedef struct sac_result_sender sac_result_sender;

/* to: "udp://HOST:PORT". key: copied, may be NULL. SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED,
 * SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_result_sender_open(sac_result_sender **out, const char *to,
                                                        const sac_packet_key *key, sac_error *err);

/* Sends n results, a datagram each, or drops what the system has no room for: never waits. Returns
 * how many left. Allocates nothing. */
SAC_API int32_t sac_result_sender_send(sac_result_sender *sender, const sac_result_packet *results,
                                       int32_t n);
SAC_API void sac_result_sender_close(sac_result_sender **sender);

#ifdef __cplusplus
}
#endif
#endif
