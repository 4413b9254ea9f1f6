/*
 * Frames and results as datagrams: bytes to numbers and back, without a socket. In libsaccade-io;
 * docs/frame-format.md has the format to the byte.
 *
 * Threads: any may call any of these at any time; what one call writes, no other may use meanwhile.
 * A NULL where none is taken is SAC_E_INVALID, false, 0, or of a parser SAC_PACKET_FOREIGN.
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

/*
 * A key that sender and receiver share. With one, packets carry a tag (BLAKE2b) that nobody without
 * it can make; without, a checksum (CRC-32C), which tells damage, not intent.
 */
typedef struct sac_packet_key {
    uint8_t bytes[32];
} sac_packet_key;

/* Whether this build can use keys: it needs libsodium. */
SAC_API bool sac_packet_can_use_key(void);

/*
 * Reads a key: 64 hexadecimal digits, as `openssl rand -hex 32` writes them. SAC_E_INVALID (NULL);
 * SAC_E_IO; SAC_E_FORMAT (anything else in the file); SAC_E_NOMEM; SAC_E_UNSUPPORTED (this build
 * cannot use keys). No other copy stays in memory; whoever is done with this one calls
 * sac_packet_key_wipe.
 */
SAC_API SAC_NODISCARD sac_status sac_packet_key_read(sac_packet_key *key, const char *path,
                                                     sac_error *err);

/* Overwrites the key with zeros, which no compiler leaves out. Takes NULL. */
SAC_API void sac_packet_key_wipe(sac_packet_key *key);

/* What a datagram is to a receiver. Each is of exactly one kind, the first that fits. */
typedef enum sac_packet_kind {
    SAC_PACKET_TAKEN = 0,      /* it is sound; of a receiver: its pixels were taken */
    SAC_PACKET_STRANGER,       /* a sender that is not allowed, or another stream while one runs */
    SAC_PACKET_FOREIGN,        /* no packet of this format and version */
    SAC_PACKET_TRUNCATED,      /* shorter than its header, or than that says */
    SAC_PACKET_OVERSIZE,       /* longer than its header says, or than any frame's packet here */
    SAC_PACKET_DAMAGED,        /* the checksum is wrong */
    SAC_PACKET_MALFORMED,      /* numbers beyond their limits, or that contradict each other */
    SAC_PACKET_WRONG_SHAPE,    /* of a frame whose size is not the receiver's */
    SAC_PACKET_DUPLICATE,      /* its pixels are there already */
    SAC_PACKET_STALE,          /* its frame is too far behind, or was given up */
    SAC_PACKET_NO_TAG,         /* it has no tag, and the receiver a key */
    SAC_PACKET_BAD_TAG,        /* its tag is wrong: another key, or damage */
    SAC_PACKET_UNEXPECTED_TAG, /* it has a tag, and the receiver no key */
    SAC_PACKET_FAR,  /* its number is far ahead: held, and taken if the next one follows it */
    SAC_PACKET_KINDS /* new kinds come before it */
} sac_packet_kind;

#define SAC_PACKET_MOST_KINDS 24 /* that counts have room for */

/* "taken", "wrong_shape", ...: what reports call it; "" for any other number. */
SAC_API const char *sac_packet_kind_name(int32_t kind);

/* A packet with a frame, or a fragment of one. */
typedef struct sac_frame_packet {
    uint64_t stream;  /* the same in all packets of one stream, most likely no other's */
    uint64_t counter; /* of the frame, at most SAC_PACKET_MOST_COUNTER: one more a frame */
    int64_t sent_ns;  /* when the frame was to be sent, by the sender's clock */
    int32_t laser_on; /* the machine's signals at the frame, */
    int32_t x, y;     /* as in sac_meltpool_signals */
    int32_t w, h;     /* of the frame */
    int32_t fragment, n_fragments; /* which of how many */
} sac_frame_packet;

/* How many fragments a frame of so many bytes is cut into where none shall have more than
 * most_bytes of pixels; 0 where that takes more than there may be. */
SAC_API int32_t sac_frame_fragments(int64_t frame_bytes, int64_t most_bytes);

/* Which of the frame's bytes, (h, w) of u8, the packet carries. False where its numbers are not
 * those of a packet. */
SAC_API bool sac_frame_packet_part(const sac_frame_packet *packet, size_t *offset, size_t *size);

/*
 * Writes the header of a packet whose pixels, the part of the frame, follow it in the datagram. key
 * may be NULL. False where the numbers are not those of a packet, or keys cannot be used.
 */
SAC_API SAC_NODISCARD bool sac_frame_packet_head(uint8_t head[SAC_PACKET_HEADER],
                                                 const sac_frame_packet *packet,
                                                 const uint8_t *pixels, const sac_packet_key *key);

/*
 * Reads a datagram: SAC_PACKET_TAKEN and *pixels points into it, or what is wrong with it and
 * nothing is written.
 */
SAC_API sac_packet_kind sac_frame_packet_parse(sac_frame_packet *packet, const uint8_t **pixels,
                                               const uint8_t *datagram, size_t size,
                                               const sac_packet_key *key);

/* What was found in a frame, on its way back. The record's signals.counter does not travel: it is
 * the low 32 bits of the counter. */
typedef struct sac_result_packet {
    uint64_t stream, counter;   /* of the frame */
    int64_t sent_ns;            /* of the frame, by its sender's clock */
    sac_meltpool_record record; /* arrival_ns and done_ns by the receiver's clock */
} sac_result_packet;

SAC_API SAC_NODISCARD bool sac_result_packet_write(uint8_t datagram[SAC_PACKET_RESULT],
                                                   const sac_result_packet *result,
                                                   const sac_packet_key *key);
SAC_API sac_packet_kind sac_result_packet_parse(sac_result_packet *result, const uint8_t *datagram,
                                                size_t size, const sac_packet_key *key);

#ifdef __cplusplus
}
#endif
#endif
