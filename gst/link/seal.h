/*
 * What proves who a message is from. With a passphrase: BLAKE2b proofs, and messages encrypted and
 * authenticated by ChaCha20-Poly1305 under keys of one connection and direction. Without: a
 * checksum (XXH3) whose seed only those know who saw the connection begin.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_SEAL_H
#define SAC_LINK_SEAL_H

#include <saccade/base.h>

#include "message.h"

typedef struct sac_link_key {
    bool is_on;
    uint8_t bytes[32];
} sac_link_key;

/* One direction of a connection. */
typedef struct sac_seal {
    sac_link_key key;
    uint64_t seed;
} sac_seal;

/* The key of a passphrase: the first line of a file. path NULL: none, and the key is off.
 * SAC_E_IO, SAC_E_FORMAT, SAC_E_UNSUPPORTED (this build has no libsodium). */
SAC_NODISCARD sac_status sac_link_key_read(sac_link_key *key, const char *path, sac_error *err);

/* The same of `n` bytes. False: no memory, or no libsodium. */
bool sac_link_key_derive(sac_link_key *key, const char *passphrase, size_t n);

/* That `bytes` are from somebody with the key; zeros where it is off. */
void sac_seal_prove(uint8_t proof[SAC_MESSAGE_PROOF], const sac_link_key *key, const void *bytes,
                    size_t n);
bool sac_seal_is_equal(const uint8_t *a, const uint8_t *b, size_t n);

/* What only the holder of `secret` can make of these bytes. */
void sac_seal_cookie(uint8_t cookie[SAC_MESSAGE_NONCE], const uint8_t secret[32], const void *bytes,
                     size_t n);

/* The seal of messages from the side that connects, or to it. */
void sac_seal_open(sac_seal *seal, const sac_link_key *key, bool is_from_caller,
                   const uint8_t *caller_nonce, const uint8_t *waiter_nonce);

/* Seals a message whose head and body are written, `n` bytes with room for the tag. NULL: the seal
 * of messages before there is a connection, a plain checksum. */
void sac_seal_close(const sac_seal *seal, uint8_t *bytes, size_t n, uint64_t number);

/* Whether it is whole and true; its body is then readable. */
bool sac_seal_break(const sac_seal *seal, uint8_t *bytes, size_t n, uint64_t number);

/* sodium.c or sodium_none.c */
bool sac_sodium_derive(uint8_t key[32], const char *passphrase, size_t n);
void sac_sodium_hash(uint8_t *out, size_t n_out, const uint8_t key[32], const void *bytes,
                     size_t n);
void sac_sodium_encrypt(const uint8_t key[32], uint8_t *bytes, size_t n, uint64_t number);
bool sac_sodium_decrypt(const uint8_t key[32], uint8_t *bytes, size_t n, uint64_t number);
bool sac_sodium_is_there(void);

#endif
