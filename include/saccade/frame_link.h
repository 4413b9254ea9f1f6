/*
 * Frames over a network: a sender with a constant rate (and optional test faults), a receiver that
 * assembles frames from datagrams and counts all others, and a sender of results. In
 * libsaccade-io; docs/frame-format.md has the format, docs/real-time.md the settings of a machine.
 *
 *     sac_frame_receiver_desc desc;
 *     sac_frame_receiver *receiver = NULL;
 *     sac_frame_receiver_desc_init(&desc);
 *     desc.sink = (sac_frame_sink){slot, complete, &state};
 *     st = sac_frame_receiver_open(&receiver, &desc, &err);
 *     while (st == SAC_OK && running)
 *         st = sac_frame_receiver_run(receiver, NULL, 100, &err);
 *     sac_frame_receiver_close(&receiver);
 *
 * `slot` returns memory for the next frame, for example sac_stream_slot; `complete` is called when
 * it is there, for example to call sac_stream_send.
 *
 * Threads: different objects may be used at the same time; each of them by one thread at a time,
 * except functions marked "from any thread". Strings and keys given at open are copied; the copy
 * of a key is wiped at close. NULL where it is not allowed is SAC_E_INVALID; getters give zeros;
 * every close accepts NULL, and sets the pointer to NULL. If an open fails, the pointer is NULL.
 * Before a getter fills in counts, set their struct_size: `= {.struct_size = sizeof counts}`.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_FRAME_LINK_H
#define SACCADE_FRAME_LINK_H

#include <saccade/frame_packets.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A complete frame. */
typedef struct sac_frame_arrival {
    uint64_t stream, counter;
    sac_meltpool_signals signals; /* counter: the low 32 bits */
    int64_t sent_ns;              /* on the sender's clock */
    int64_t arrival_ns; /* arrival of the datagram that completed it, on the monotonic clock */
} sac_frame_arrival;

/* Where the receiver puts frames. Its thread calls slot, then complete, alternately. */
typedef struct sac_frame_sink {
    uint8_t *(*slot)(void *ctx); /* memory for (h, w) pixels, or an array; NULL: there is none, and
                                    the frame is refused */
    bool (*complete)(
        void *ctx,
        const sac_frame_arrival *frame); /* the slot has the frame; return false to refuse it */
    void *ctx;
} sac_frame_sink;

/* Who sent a datagram. */
typedef struct sac_packet_source {
    uint8_t address[16]; /* IPv6; an IPv4 address as ::ffff:a.b.c.d */
    uint16_t port;
} sac_packet_source;

/*
 * Everything that arrived. Each datagram has exactly one kind, so kinds add up to datagrams; and
 * expected = frames + refused + lost.
 */
typedef struct sac_frame_counts {
    size_t struct_size;
    int64_t datagrams, kinds[SAC_PACKET_MOST_KINDS];
    int64_t streams;        /* that were received, one after the other */
    int64_t expected;       /* frames, from the lowest to the highest counter of each stream */
    int64_t frames;         /* complete, and accepted by the sink */
    int64_t refused;        /* complete, and refused by the sink */
    int64_t lost;           /* all others, including frames that are still incomplete */
    int64_t incomplete;     /* lost frames of which some fragments arrived */
    int64_t reordered;      /* completed after a frame with a higher counter */
    int64_t kernel_dropped; /* datagrams that the system had no room for; they are not in the other
                               counts. -1: unknown. Receivers only */
    int64_t taken_ns; /* when the last valid datagram (SAC_PACKET_TAKEN) arrived, on the monotonic
                         clock; 0: none */
    int32_t other_w, other_h; /* frame size in the last packet of the wrong shape; 0: none, or not
                                 (h, w) of u8 */

    /* Since 0.2. Of the last packet of the wrong shape, whatever it is; 0: none. */
    int64_t other_shape[SAC_PACKET_MOST_AXES];
    int32_t other_dtype, other_n_dims;
} sac_frame_counts;

typedef struct sac_frame_receiver_desc {
    size_t struct_size;
    int32_t w, h; /* size of every frame, 1..4096; default 96, 96 */
    sac_frame_sink sink;
    int32_t in_flight; /* how many frames can wait for fragments, 1..64; default 16 */
    int32_t reach;     /* 1..4096, default 256: a datagram this many frames older than the newest is
                          stale; one further ahead is held until the next follows it */
    double silence_s;  /* after this time without datagrams of the current stream another stream is
                          accepted, 0..1e6; default 1 */
    const sac_packet_key *key; /* copied; NULL: no key, and packets with tags are refused */

    /* For a receiver only. */
    const char
        *listen; /* "udp://HOST:PORT"; default "udp://127.0.0.1:5020". Port 0: any free port */
    const char *allow;    /* numeric addresses of senders, joined by commas; NULL: all */
    int32_t buffer_bytes; /* of the socket; default 64 MB. The system may grant less */

    /*
     * Since 0.2. Frames that are arrays: of a sac_dtype, 1 to SAC_PACKET_MOST_AXES axes, at most
     * SAC_PACKET_MOST_FRAME bytes; samples come as they are in memory, little-endian. n_dims 0, the
     * default: frames of w x h pixels. Packets of both versions are taken, if they have this shape.
     * Memory is allocated at open, in_flight frames and some; no packet asks for more.
     */
    int64_t shape[SAC_PACKET_MOST_AXES];
    int32_t dtype, n_dims;
} sac_frame_receiver_desc;

/* Fills in every default; the caller sets the sink. */
SAC_API void sac_frame_receiver_desc_init(sac_frame_receiver_desc *desc);

/* Assembles frames from datagrams of any origin, without a socket. */
typedef struct sac_frame_assembler sac_frame_assembler;

/*
 * Opens an assembler. SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED (a key, in a build that does
 * not support keys).
 */
SAC_API SAC_NODISCARD sac_status sac_frame_assembler_open(sac_frame_assembler **out,
                                                          const sac_frame_receiver_desc *desc,
                                                          sac_error *err);

/*
 * Takes a datagram and returns its kind; accepts arbitrary bytes, never fails, allocates nothing.
 * A datagram that is held (SAC_PACKET_FAR, or SAC_PACKET_STRANGER) is counted again, with its
 * final kind, when the next one follows it.
 */
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

/*
 * Opens the socket. SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED, SAC_E_IO (no such host; the
 * port is in use).
 */
SAC_API SAC_NODISCARD sac_status sac_frame_receiver_open(sac_frame_receiver **out,
                                                         const sac_frame_receiver_desc *desc,
                                                         sac_error *err);

/*
 * Receives up to 32 datagrams that wait at the socket. If there are none, waits up to timeout_ms
 * for some (0: does not wait, so that a thread can spin). *n is the number of datagrams; n may be
 * NULL. *n is also 0 if a signal ended the wait. Allocates nothing. SAC_E_IO, SAC_E_INVALID
 * (NULL).
 */
SAC_API SAC_NODISCARD sac_status sac_frame_receiver_run(sac_frame_receiver *receiver, int32_t *n,
                                                        int32_t timeout_ms, sac_error *err);

/* From any thread, at any time. */
SAC_API void sac_frame_receiver_get_counts(const sac_frame_receiver *receiver,
                                           sac_frame_counts *counts);

/* The port that the socket is bound to. */
SAC_API int32_t sac_frame_receiver_get_port(const sac_frame_receiver *receiver);

/* The bytes that the system granted for the socket's buffer. */
SAC_API int32_t sac_frame_receiver_get_buffer(const sac_frame_receiver *receiver);
SAC_API void sac_frame_receiver_close(sac_frame_receiver **receiver);

/*
 * Faults to inject for tests, each as a share 0..1 of the datagrams; their sum is at most 1, and a
 * datagram has at most one fault. Datagrams of the first frame have none, and of the last frame if
 * n_frames is given: so a receiver can detect every lost frame.
 */
typedef struct sac_frame_faults {
    double loss;      /* never sent */
    double reorder;   /* sent after the next datagram of a later frame */
    double duplicate; /* sent twice */
    double truncate;  /* truncated at a random place */
    uint64_t seed;    /* the same seed gives the same faults */
} sac_frame_faults;

typedef struct sac_frame_sender_desc {
    size_t struct_size;
    const char *to;       /* "udp://HOST:PORT" */
    int32_t w, h;         /* size of every frame; default 96, 96 */
    int32_t fragments;    /* packets per frame; default 0: as few as packet_bytes allows */
    int32_t packet_bytes; /* size limit of a datagram; default 0: 65507 */
    double rate_hz;       /* frames per second, 1e-6..1e9; default 0: as fast as possible */
    int64_t n_frames;     /* total number of frames; default 0: unknown */
    uint64_t stream;      /* number of the stream; default 0: made from the time and random bits */
    sac_frame_faults faults;   /* default: no faults, seed 1 */
    const sac_packet_key *key; /* copied; NULL: no key */
    int32_t buffer_bytes;      /* of the socket; default 4 MB */

    /* Since 0.2. Frames that are arrays, as in sac_frame_receiver_desc. Frames of u8 with two axes
     * travel as version 1, if its limits allow, and all others as version 2: more than 4096
     * fragments if each has 256 bytes or more, and packet_bytes above 104. n_dims 0, the default:
     * frames of w x h pixels, in version 1. */
    int64_t shape[SAC_PACKET_MOST_AXES];
    int32_t dtype, n_dims;
} sac_frame_sender_desc;

/* Fills in every default; the caller sets `to`. */
SAC_API void sac_frame_sender_desc_init(sac_frame_sender_desc *desc);

/* What was sent, and which faults were injected. */
typedef struct sac_frame_sent {
    size_t struct_size;
    int64_t frames, datagrams;                      /* datagrams that were sent */
    int64_t lost, reordered, duplicated, truncated; /* injected faults, in datagrams */
    int64_t hurt;    /* frames that cannot be complete, since a datagram was lost or truncated */
    int64_t unheard; /* how often the other side reported that nobody listens */
    int64_t most_behind_ns; /* longest delay of a frame's start against its schedule */
    int64_t no_room;        /* datagrams given up after the system had no room for them for 10 ms */
} sac_frame_sent;

typedef struct sac_frame_sender sac_frame_sender;

/* Opens a sender. SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED, SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_frame_sender_open(sac_frame_sender **out,
                                                       const sac_frame_sender_desc *desc,
                                                       sac_error *err);

/*
 * Sends n frames, (n, h, w), or (n) arrays, contiguous, with their signals (n; of arrays they may
 * be NULL: all 0), each at its time by the rate; the very first one immediately. Frames are
 * numbered from 0; their signals.counter is ignored. Sleeps, and spins shortly before a frame's
 * time. Allocates nothing. SAC_E_IO; SAC_E_INVALID (NULL, n below 0, more frames than a stream has
 * numbers).
 */
SAC_API SAC_NODISCARD sac_status sac_frame_sender_send(sac_frame_sender *sender,
                                                       const uint8_t *frames,
                                                       const sac_meltpool_signals *signals,
                                                       int64_t n, sac_error *err);

/* What was sent so far; not from another thread during a send. */
SAC_API void sac_frame_sender_get_sent(const sac_frame_sender *sender, sac_frame_sent *sent);

/* The number of packets per frame. */
SAC_API int32_t sac_frame_sender_get_fragments(const sac_frame_sender *sender);

/* Sends datagrams that a fault still holds back, frees the sender and sets *sender to NULL. */
SAC_API void sac_frame_sender_close(sac_frame_sender **sender);

/* Sends results to the controller of the machine. */
typedef struct sac_result_sender sac_result_sender;

/*
 * to: "udp://HOST:PORT". key: copied; may be NULL. SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED,
 * SAC_E_IO.
 */
SAC_API SAC_NODISCARD sac_status sac_result_sender_open(sac_result_sender **out, const char *to,
                                                        const sac_packet_key *key, sac_error *err);

/*
 * Sends n results, one datagram each. Never waits: drops those that the system has no room for.
 * Returns the number sent. Allocates nothing.
 */
SAC_API int32_t sac_result_sender_send(sac_result_sender *sender, const sac_result_packet *results,
                                       int32_t n);
SAC_API void sac_result_sender_close(sac_result_sender **sender);

#ifdef __cplusplus
}
#endif
#endif
