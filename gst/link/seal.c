/*
 * Seals of messages, and keys from passphrases.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "seal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/system.h"

#define LEAST_PASSPHRASE 16 /* bytes */
#define MOST_PASSPHRASE 4096

bool sac_link_key_derive(sac_link_key *key, const char *passphrase, size_t n)
{
    key->is_on = sac_sodium_derive(key->bytes, passphrase, n);
    return key->is_on;
}

static sac_status read_some(char *text, size_t *n, const char *path, sac_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = -1;
    *n = 0;
    while (fd >= 0 && *n < MOST_PASSPHRASE &&
           ((got = read(fd, text + *n, MOST_PASSPHRASE - *n)) > 0 || (got < 0 && errno == EINTR)))
        *n += got > 0 ? (size_t)got : 0;
    const int failed = fd < 0 || got < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return failed ? sac_fail(err, SAC_E_IO, "passphrase-file: %.200s: %s", path, strerror(failed))
                  : SAC_OK;
}

sac_status sac_link_key_read(sac_link_key *key, const char *path, sac_error *err)
{
    char text[MOST_PASSPHRASE];
    size_t n = 0;
    key->is_on = false;
    if (!path)
        return SAC_OK;
    if (!sac_sodium_is_there())
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "passphrase-file: this build cannot authenticate: it lacks libsodium "
                        "(Debian and Ubuntu: libsodium-dev)");
    sac_status st = read_some(text, &n, path, err);
    const char *end = memchr(text, '\n', n);
    n = end ? (size_t)(end - text) : n;
    n -= n > 0 && text[n - 1] == '\r';
    if (st == SAC_OK && (n < LEAST_PASSPHRASE || n == MOST_PASSPHRASE))
        st = sac_fail(err, SAC_E_FORMAT,
                      "passphrase-file: %.200s: expected a first line of %d to %d bytes, got %zu",
                      path, LEAST_PASSPHRASE, MOST_PASSPHRASE - 1, n);
    if (st == SAC_OK && !sac_link_key_derive(key, text, n))
        st = sac_fail(err, SAC_E_NOMEM, "passphrase-file: no memory (64 MiB) to derive its key");
    sac_system_wipe(text, sizeof text);
    return st;
}

void sac_seal_prove(uint8_t proof[SAC_MESSAGE_PROOF], const sac_link_key *key, const void *bytes,
                    size_t n)
{
    memset(proof, 0, SAC_MESSAGE_PROOF);
    if (key->is_on)
        sac_sodium_hash(proof, SAC_MESSAGE_PROOF, key->bytes, bytes, n);
}

bool sac_seal_is_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint8_t differs = 0;
    for (size_t i = 0; i < n; i++)
        differs |= (uint8_t)(a[i] ^ b[i]);
    return differs == 0;
}

void sac_seal_cookie(uint8_t cookie[SAC_MESSAGE_NONCE], const uint8_t secret[32], const void *bytes,
                     size_t n)
{
    if (sac_sodium_is_there()) {
        sac_sodium_hash(cookie, SAC_MESSAGE_NONCE, secret, bytes, n);
        return;
    }
    uint64_t seeds[4];
    memcpy(seeds, secret, sizeof seeds);
    for (int i = 0; i < 4; i++) {
        const uint64_t part = XXH3_64bits_withSeed(bytes, n, seeds[i]);
        memcpy(cookie + 8 * i, &part, sizeof part);
    }
}

void sac_seal_open(sac_seal *seal, const sac_link_key *key, bool is_from_caller,
                   const uint8_t *caller_nonce, const uint8_t *waiter_nonce)
{
    uint8_t text[8 + 2 * SAC_MESSAGE_NONCE] = "SLseal ";
    text[7] = is_from_caller ? 'c' : 'w';
    memcpy(text + 8, caller_nonce, SAC_MESSAGE_NONCE);
    memcpy(text + 8 + SAC_MESSAGE_NONCE, waiter_nonce, SAC_MESSAGE_NONCE);
    *seal = (sac_seal){.key.is_on = key->is_on, .seed = XXH3_64bits(text, sizeof text)};
    if (key->is_on)
        sac_sodium_hash(seal->key.bytes, sizeof seal->key.bytes, key->bytes, text, sizeof text);
}

static void checksum(uint8_t tag[SAC_MESSAGE_TAG], const uint8_t *bytes, size_t n, uint64_t seed)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes, n, seed));
    memcpy(tag, canonical.digest, SAC_MESSAGE_TAG);
}

void sac_seal_close(const sac_seal *seal, uint8_t *bytes, size_t n, uint64_t number)
{
    if (seal && seal->key.is_on)
        sac_sodium_encrypt(seal->key.bytes, bytes, n, number);
    else
        checksum(bytes + n - SAC_MESSAGE_TAG, bytes, n - SAC_MESSAGE_TAG, seal ? seal->seed : 0);
}

bool sac_seal_break(const sac_seal *seal, uint8_t *bytes, size_t n, uint64_t number)
{
    uint8_t tag[SAC_MESSAGE_TAG];
    if (n < SAC_MESSAGE_LEAST)
        return false;
    if (seal && seal->key.is_on)
        return sac_sodium_decrypt(seal->key.bytes, bytes, n, number);
    checksum(tag, bytes, n - SAC_MESSAGE_TAG, seal ? seal->seed : 0);
    return sac_seal_is_equal(tag, bytes + n - SAC_MESSAGE_TAG, SAC_MESSAGE_TAG);
}
