/*
 * Cryptography, by libsodium.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sodium.h>
#include <string.h>

#include "seal.h"

bool sac_sodium_is_there(void)
{
    return sodium_init() >= 0;
}

/* The salt cannot be secret, nor differ: both sides know nothing but the passphrase. What keeps it
 * safe is its length, and that each guess takes 64 MiB and a tenth of a second. */
bool sac_sodium_derive(uint8_t key[32], const char *passphrase, size_t n)
{
    static const uint8_t salt[crypto_pwhash_SALTBYTES + 1] = "saccade live v.1";
    return sodium_init() >= 0 && crypto_pwhash(key, 32, passphrase, n, salt, 2, (size_t)64 << 20,
                                               crypto_pwhash_ALG_ARGON2ID13) == 0;
}

void sac_sodium_hash(uint8_t *out, size_t n_out, const uint8_t key[32], const void *bytes, size_t n)
{
    (void)crypto_generichash(out, n_out, bytes, n, key, 32);
}

static void nonce_of(uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES], uint64_t number)
{
    memset(nonce, 0, crypto_aead_chacha20poly1305_ietf_NPUBBYTES);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] = (uint8_t)(number >> 8 * i);
}

void sac_sodium_encrypt(const uint8_t key[32], uint8_t *bytes, size_t n, uint64_t number)
{
    uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES], *body = bytes + SAC_MESSAGE_HEAD;
    nonce_of(nonce, number);
    (void)crypto_aead_chacha20poly1305_ietf_encrypt_detached(
        body, bytes + n - SAC_MESSAGE_TAG, NULL, body, n - SAC_MESSAGE_LEAST, bytes,
        SAC_MESSAGE_HEAD, NULL, nonce, key);
}

bool sac_sodium_decrypt(const uint8_t key[32], uint8_t *bytes, size_t n, uint64_t number)
{
    uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES], *body = bytes + SAC_MESSAGE_HEAD;
    nonce_of(nonce, number);
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
               body, NULL, body, n - SAC_MESSAGE_LEAST, bytes + n - SAC_MESSAGE_TAG, bytes,
               SAC_MESSAGE_HEAD, nonce, key) == 0;
}
