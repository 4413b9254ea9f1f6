/*
 * Numbers in network byte order, and what seals a packet.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_NET_WIRE_H
#define SAC_NET_WIRE_H

#include <saccade/frame_packets.h>

static inline uint64_t sac_wire_get(const uint8_t *at, int n_bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < n_bytes; i++)
        value = value << 8 | at[i];
    return value;
}

static inline void sac_wire_put(uint8_t *at, int n_bytes, uint64_t value)
{
    for (int i = n_bytes - 1; i >= 0; i--, value >>= 8)
        at[i] = (uint8_t)value;
}

/* Both kinds of packet begin alike; docs/frame-format.md. */
enum {
    SAC_WIRE_MAGIC = 0,
    SAC_WIRE_VERSION = 4,
    SAC_WIRE_SEAL = 5, /* 0 checksum, 1 tag */
    SAC_WIRE_HEAD = 6, /* bytes of the header */
    SAC_WIRE_STREAM = 8,
    SAC_WIRE_COUNTER = 16,
    SAC_WIRE_SENT = 24
};

/* Whether a frame of `all` bytes of version 2 may have n fragments: so that to note those that came
 * takes little of the memory that the frame takes. */
static inline bool sac_wire_may_cut(size_t all, int64_t n)
{
    return n >= 1 && (n <= SAC_PACKET_MOST_FRAGMENTS ||
                      (size_t)n <= (all + SAC_PACKET_LEAST_PART - 1) / SAC_PACKET_LEAST_PART);
}

/* What one packet is of, and the signals, which lie in different places. */
void sac_wire_put_begin(uint8_t *head, const char magic[4], int version, size_t head_bytes,
                        bool has_key);
void sac_wire_put_signals(uint8_t *at, int32_t laser_on, int32_t x, int32_t y);
void sac_wire_get_signals(int32_t *laser_on, int32_t *x, int32_t *y, const uint8_t *at);

/* TAKEN where the datagram begins as such a packet, whole up to head_bytes. */
sac_packet_kind sac_wire_check_begin(const uint8_t *datagram, size_t size, const char magic[4],
                                     int version, size_t head_bytes);

/* Frame packets, of both versions. */
extern const char sac_wire_frame_magic[4];

/* TAKEN where as many bytes follow the header as it says, at most `most`. */
sac_packet_kind sac_wire_check_length(uint64_t says, uint64_t has, uint64_t most);

/* Fragment i of n of a frame of `all` bytes; false where there is no such, or it is too long for a
 * datagram with such a header. */
bool sac_wire_cut(size_t *offset, size_t *size, size_t all, int32_t i, int32_t n,
                  size_t head_bytes);

/* The last 16 bytes of a header: of the rest of it, and of what follows. */
#define SAC_WIRE_CHECK 16
SAC_NODISCARD bool sac_wire_seal(uint8_t *head, size_t head_bytes, const uint8_t *body,
                                 size_t body_bytes, const sac_packet_key *key);

/* TAKEN where the seal is right, else what is wrong with it. */
sac_packet_kind sac_wire_check_seal(const uint8_t *head, size_t head_bytes, const uint8_t *body,
                                    size_t body_bytes, const sac_packet_key *key);

/* BLAKE2b of 16 bytes, keyed, of two pieces; false in a build without libsodium. */
bool sac_packet_tag(uint8_t tag[16], const sac_packet_key *key, const uint8_t *head,
                    size_t head_bytes, const uint8_t *body, size_t body_bytes);
/* In a time that tells nothing of where they differ. */
bool sac_packet_tag_equal(const uint8_t a[16], const uint8_t b[16]);

/* SAC_E_UNSUPPORTED where there is a key and this build cannot use it. */
SAC_NODISCARD sac_status sac_packet_key_check(const sac_packet_key *key, sac_error *err);

/* The caller's key, which may be NULL, copied to *own: returns `own`, or NULL. */
const sac_packet_key *sac_packet_key_copy(sac_packet_key *own, const sac_packet_key *key);

/* Whether packets of version 1 can have frames of w x h. SAC_E_INVALID. */
SAC_NODISCARD sac_status sac_wire_check_size(int32_t w, int32_t h, sac_error *err);

/* The bytes of an array, which packets of version 2 can have. SAC_E_INVALID. */
SAC_NODISCARD sac_status sac_wire_check_array(size_t *bytes, int32_t dtype, int32_t n_dims,
                                              const int64_t *shape, sac_error *err);

/* The frames of a desc, sender's or receiver's, as an array: without axes they are w x h pixels.
 * SAC_E_INVALID. */
SAC_NODISCARD sac_status sac_wire_take_shape(int32_t *dtype, int32_t *n_dims, int64_t *shape,
                                             int32_t w, int32_t h, sac_error *err);

#endif
