/*
 * Messages between bytes and numbers, without sockets and without keys. Numbers are little-endian.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_MESSAGE_H
#define SAC_LINK_MESSAGE_H

#include "packet.h"

enum {
    SAC_MESSAGE_VERSION = 1,
    SAC_MESSAGE_HEAD = 16,
    SAC_MESSAGE_TAG = 16,
    SAC_MESSAGE_LEAST = SAC_MESSAGE_HEAD + SAC_MESSAGE_TAG,
    SAC_MESSAGE_MOST = 65507, /* bytes: a datagram of IPv4 */
    SAC_MESSAGE_NONCE = 32,
    SAC_MESSAGE_PROOF = 16,
    SAC_FRAGMENT_HEAD = 28,
    SAC_NACK_RANGE = 16,
    SAC_NACK_MOST = 64 /* ranges of a message */
};

typedef enum sac_message_type {
    SAC_MESSAGE_HELLO = 1,
    SAC_MESSAGE_CHALLENGE,
    SAC_MESSAGE_ACCEPT,
    SAC_MESSAGE_REFUSE,
    SAC_MESSAGE_DATA, /* from here on: of a connection, sealed */
    SAC_MESSAGE_NACK,
    SAC_MESSAGE_GONE,
    SAC_MESSAGE_KEY,
    SAC_MESSAGE_PING,
    SAC_MESSAGE_PONG,
    SAC_MESSAGE_CONTROL,
    SAC_MESSAGE_CONTROL_ACK,
    SAC_MESSAGE_BYE,
    SAC_MESSAGE_TYPES
} sac_message_type;

typedef struct sac_message {
    sac_message_type type;
    uint16_t size; /* of the whole message */
    uint64_t number;
    uint32_t connection;
} sac_message;

/* Writes the head. */
void sac_message_write(uint8_t *bytes, const sac_message *m);

/* Reads the head; accepts arbitrary bytes. False: none of this version, or fewer than m->size. */
bool sac_message_read(sac_message *m, const uint8_t *bytes, size_t n);

/* Bytes of the message that begins here, of a stream; 0: n is too small to tell; -1: none. */
int32_t sac_message_length(const uint8_t *bytes, size_t n);

typedef struct sac_hello {
    bool is_sender, has_key;
    uint8_t nonce[SAC_MESSAGE_NONCE], cookie[SAC_MESSAGE_NONCE], proof[SAC_MESSAGE_PROOF];
} sac_hello;

typedef struct sac_accept {
    uint8_t nonce[SAC_MESSAGE_NONCE], waiter[SAC_MESSAGE_NONCE], proof[SAC_MESSAGE_PROOF];
    uint32_t connection;
} sac_accept;

typedef enum sac_refusal {
    SAC_REFUSED_PASSPHRASE = 1, /* another one */
    SAC_REFUSED_NEEDS_PASSPHRASE,
    SAC_REFUSED_HAS_NO_PASSPHRASE,
    SAC_REFUSED_ROLE, /* two senders, or two receivers */
    SAC_REFUSED_FULL
} sac_refusal;

enum { /* bytes of whole messages; and those that a proof is of */
       SAC_HELLO_BYTES = 16 + 8 + 32 + 32 + 16 + 16,
       SAC_HELLO_PROVED = 16 + 8 + 32 + 32,
       SAC_CHALLENGE_BYTES = 16 + 32 + 32 + 16,
       SAC_ACCEPT_BYTES = 16 + 8 + 32 + 32 + 16 + 16,
       SAC_ACCEPT_PROVED = 16 + 8 + 32 + 32,
       SAC_REFUSE_BYTES = 16 + 32 + 8 + 16
};

/* These write all but the last SAC_MESSAGE_TAG bytes, and for hello and accept take the proof as it
 * is. They read bodies whose size the type alone decides: false where it is another. */
void sac_hello_write(uint8_t *bytes, const sac_hello *h);
bool sac_hello_read(sac_hello *h, const uint8_t *bytes, size_t n);
void sac_challenge_write(uint8_t *bytes, const uint8_t *nonce, const uint8_t *cookie);
bool sac_challenge_read(uint8_t *nonce, uint8_t *cookie, const uint8_t *bytes, size_t n);
void sac_accept_write(uint8_t *bytes, const sac_accept *a);
bool sac_accept_read(sac_accept *a, const uint8_t *bytes, size_t n);
void sac_refuse_write(uint8_t *bytes, const uint8_t *nonce, sac_refusal why);
bool sac_refuse_read(uint8_t *nonce, sac_refusal *why, const uint8_t *bytes, size_t n);

/* A part of a packet. All parts but the last have `part` bytes. */
typedef struct sac_fragment {
    uint64_t number; /* of the packet, from 0 in each connection */
    int64_t captured_ns;
    uint32_t size;   /* of the packet */
    uint32_t offset; /* of this part */
    uint16_t part;
    uint8_t flags;
    const uint8_t *bytes;
    uint32_t n;
} sac_fragment;

/* Writes a body, all of it; returns its size. */
size_t sac_fragment_write(uint8_t *body, const sac_fragment *f);
bool sac_fragment_read(sac_fragment *f, const uint8_t *body, size_t n);

/* Parts of a packet, from `first` on; n = UINT32_MAX: to its end. */
typedef struct sac_range {
    uint64_t number;
    uint32_t first, n;
} sac_range;

size_t sac_ranges_write(uint8_t *body, const sac_range *ranges, uint32_t n);
bool sac_ranges_read(sac_range ranges[SAC_NACK_MOST], uint32_t *n, const uint8_t *body,
                     size_t size);

/* PING has two of these, PONG four. */
size_t sac_numbers_write(uint8_t *body, const uint64_t *numbers, uint32_t n);
bool sac_numbers_read(uint64_t *numbers, uint32_t n, const uint8_t *body, size_t size);

void sac_form_write(uint8_t *bytes, const sac_link_form *form);
bool sac_form_read(sac_link_form *form, const uint8_t *bytes, size_t n);

#endif
