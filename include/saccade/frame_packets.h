/*
 * Frames and results as datagrams: conversion between bytes and numbers, without sockets. Most
 * applications use the sender and receiver in saccade/frame_link.h instead. In libsaccade-io;
 * docs/frame-format.md describes every byte.
 *
 *     const uint8_t *pixels;
 *     sac_frame_packet packet;
 *     size_t offset, n;
 *     if (sac_frame_packet_parse(&packet, &pixels, datagram, size, NULL) == SAC_PACKET_TAKEN &&
 *         sac_frame_packet_part(&packet, &offset, &n))
 *         memcpy(frame + offset, pixels, n);
 *
 * The functions for sac_frame_packet are of version 1 of the format, frames of 8-bit pixels, and
 * take version 2 for foreign; those for sac_array_packet (since 0.2) are of both.
 *
 * Threads: any thread may call any of these at any time; while a call writes to memory no other
 * call may use that memory. NULL where it is not allowed is SAC_E_INVALID, false or 0; parsers
 * return SAC_PACKET_FOREIGN.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_FRAME_PACKETS_H
#define SACCADE_FRAME_PACKETS_H

#include <saccade/meltpool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SAC_PACKET_VERSION 1
#define SAC_PACKET_HEADER 80        /* bytes before the pixels of a frame packet */
#define SAC_PACKET_RESULT 256       /* bytes of a result packet */
#define SAC_PACKET_MOST_BYTES 65507 /* of a datagram over IPv4 */
#define SAC_PACKET_MOST_SIDE 4096   /* pixels of a frame's row or column */
#define SAC_PACKET_MOST_FRAGMENTS 4096
#define SAC_PACKET_MOST_COUNTER ((UINT64_C(1) << 62) - 1)

/* Since 0.2. Of packets of version 2, whose frames are arrays. */
#define SAC_PACKET_ARRAY_VERSION 2
#define SAC_PACKET_ARRAY_HEADER 104 /* bytes before the samples */
#define SAC_PACKET_MOST_AXES 4
#define SAC_PACKET_MOST_FRAME (INT64_C(1) << 30) /* bytes of a frame */
#define SAC_PACKET_LEAST_PART 256 /* bytes of a fragment, where a frame has more than 4096 */

/*
 * A key that sender and receiver share. With a key, packets have an authentication tag (BLAKE2b),
 * which cannot be made without the key; without a key they have a checksum (CRC-32C), which detects
 * damage but not forgery.
 */
typedef struct sac_packet_key {
    uint8_t bytes[32];
} sac_packet_key;

/* Whether this build supports keys: it needs libsodium. */
SAC_API bool sac_packet_can_use_key(void);

/*
 * Reads a key from a file: 64 hexadecimal digits, as `openssl rand -hex 32` writes them. No other
 * copy stays in memory; call sac_packet_key_wipe when the key is no longer needed. SAC_E_INVALID
 * (NULL); SAC_E_IO; SAC_E_FORMAT (the file has other contents); SAC_E_NOMEM; SAC_E_UNSUPPORTED
 * (this build does not support keys).
 */
SAC_API SAC_NODISCARD sac_status sac_packet_key_read(sac_packet_key *key, const char *path,
                                                     sac_error *err);

/* Overwrites the key with zeros, in a way that compilers do not remove. NULL is allowed. */
SAC_API void sac_packet_key_wipe(sac_packet_key *key);

/* How a receiver classifies a datagram: each has exactly one kind, the first that applies. */
typedef enum sac_packet_kind {
    SAC_PACKET_TAKEN = 0,   /* it is valid; for a receiver: its pixels were used */
    SAC_PACKET_STRANGER,    /* the sender is not allowed, or it is of another stream while one is
                               running */
    SAC_PACKET_FOREIGN,     /* not a packet of this format and version */
    SAC_PACKET_TRUNCATED,   /* shorter than a header, or than its header says */
    SAC_PACKET_OVERSIZE,    /* longer than its header says, or than any packet for this receiver */
    SAC_PACKET_DAMAGED,     /* the checksum is wrong */
    SAC_PACKET_MALFORMED,   /* numbers out of range, or contradictory */
    SAC_PACKET_WRONG_SHAPE, /* its frame does not have the receiver's size */
    SAC_PACKET_DUPLICATE,   /* its pixels arrived already */
    SAC_PACKET_STALE,       /* its frame is too old, or was given up */
    SAC_PACKET_NO_TAG,      /* it has no tag, but the receiver has a key */
    SAC_PACKET_BAD_TAG,     /* its tag is wrong: another key, or damage */
    SAC_PACKET_UNEXPECTED_TAG, /* it has a tag, but the receiver has no key */
    SAC_PACKET_FAR,  /* its number is far ahead: held, and used if the next one follows it */
    SAC_PACKET_KINDS /* the number of kinds; new kinds are inserted before it */
} sac_packet_kind;

#define SAC_PACKET_MOST_KINDS 24 /* the room for kinds in sac_frame_counts */

/* The name of a kind in reports: "taken", "wrong_shape", ...; "" for any other number. Static. */
SAC_API const char *sac_packet_kind_name(int32_t kind);

/* A packet with a frame or a fragment of one, without its pixels. */
typedef struct sac_frame_packet {
    uint64_t stream; /* a number that all packets of a stream share, and very likely no other stream
                        has */
    uint64_t counter; /* number of the frame, one more for each, at most SAC_PACKET_MOST_COUNTER */
    int64_t sent_ns;  /* when the frame was due to be sent, on the sender's clock */
    int32_t laser_on; /* the machine's signals at the frame, */
    int32_t x, y;     /* as in sac_meltpool_signals */
    int32_t w, h;     /* size of the frame */
    int32_t fragment, n_fragments; /* fragment 0 .. n_fragments - 1 */
} sac_frame_packet;

/*
 * The number of fragments for a frame of frame_bytes, with at most most_bytes of pixels each; 0 if
 * there would be more than SAC_PACKET_MOST_FRAGMENTS.
 */
SAC_API int32_t sac_frame_fragments(int64_t frame_bytes, int64_t most_bytes);

/*
 * The part of the frame, (h, w) of u8, that the packet carries: `size` bytes at `offset`. False if
 * the packet's numbers are not valid.
 */
SAC_API bool sac_frame_packet_part(const sac_frame_packet *packet, size_t *offset, size_t *size);

/*
 * Writes the header of a packet. In the datagram its pixels, the part of the frame, follow the
 * header. key may be NULL. False if the packet's numbers are not valid, or this build does not
 * support keys.
 */
SAC_API SAC_NODISCARD bool sac_frame_packet_head(uint8_t head[SAC_PACKET_HEADER],
                                                 const sac_frame_packet *packet,
                                                 const uint8_t *pixels, const sac_packet_key *key);

/*
 * Parses a datagram; accepts arbitrary bytes. Returns SAC_PACKET_TAKEN, and *pixels points into
 * the datagram; or what is wrong with it, and nothing is written. key may be NULL.
 */
SAC_API sac_packet_kind sac_frame_packet_parse(sac_frame_packet *packet, const uint8_t **pixels,
                                               const uint8_t *datagram, size_t size,
                                               const sac_packet_key *key);

/*
 * Since 0.2. A packet of either version, without its samples. A frame of version 1 is (h, w) of
 * u8; one of version 2 has any sac_dtype and 1 to SAC_PACKET_MOST_AXES axes, from slow to fast, up
 * to SAC_PACKET_MOST_FRAME bytes of it, in as many fragments as that takes.
 */
typedef struct sac_array_packet {
    uint64_t stream, counter; /* as in sac_frame_packet, */
    int64_t sent_ns;
    int32_t laser_on, x, y; /* signals that belong to the frame; 0 where there are none */
    int32_t version;        /* SAC_PACKET_VERSION or SAC_PACKET_ARRAY_VERSION */
    int32_t dtype, n_dims;
    int64_t shape[SAC_PACKET_MOST_AXES]; /* further ones are 0 */
    int32_t fragment, n_fragments;       /* fragment 0 .. n_fragments - 1 */
} sac_array_packet;

/*
 * Since 0.2. The same as sac_frame_packet_part, _head and _parse, for packets of both versions.
 * Sizes and offsets are in bytes; samples are little-endian. sac_array_packet_head returns the
 * bytes of the header, SAC_PACKET_HEADER or SAC_PACKET_ARRAY_HEADER, and 0 where
 * sac_frame_packet_head returns false.
 */
SAC_API bool sac_array_packet_part(const sac_array_packet *packet, size_t *offset, size_t *size);
SAC_API SAC_NODISCARD size_t sac_array_packet_head(uint8_t head[SAC_PACKET_ARRAY_HEADER],
                                                   const sac_array_packet *packet,
                                                   const uint8_t *samples,
                                                   const sac_packet_key *key);
SAC_API sac_packet_kind sac_array_packet_parse(sac_array_packet *packet, const uint8_t **samples,
                                               const uint8_t *datagram, size_t size,
                                               const sac_packet_key *key);

/*
 * The result of a frame, sent back. record.signals.counter is not transmitted: it is the low 32
 * bits of counter.
 */
typedef struct sac_result_packet {
    uint64_t stream, counter;   /* of the frame */
    int64_t sent_ns;            /* of the frame, on its sender's clock */
    sac_meltpool_record record; /* arrival_ns and done_ns are on the receiver's clock */
} sac_result_packet;

/* Writes a result to a datagram, and parses one, as for frames. key may be NULL. */
SAC_API SAC_NODISCARD bool sac_result_packet_write(uint8_t datagram[SAC_PACKET_RESULT],
                                                   const sac_result_packet *result,
                                                   const sac_packet_key *key);
SAC_API sac_packet_kind sac_result_packet_parse(sac_result_packet *result, const uint8_t *datagram,
                                                size_t size, const sac_packet_key *key);

#ifdef __cplusplus
}
#endif
#endif
