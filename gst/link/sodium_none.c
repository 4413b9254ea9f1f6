/*
 * In a build without libsodium: no key is ever on, so nothing of this is called but the first two.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "seal.h"

bool sac_sodium_is_there(void)
{
    return false;
}

bool sac_sodium_derive(uint8_t key[32], const char *passphrase, size_t n)
{
    (void)key, (void)passphrase, (void)n;
    return false;
}

void sac_sodium_hash(uint8_t *out, size_t n_out, const uint8_t key[32], const void *bytes, size_t n)
{
    (void)key, (void)bytes, (void)n;
    memset(out, 0, n_out);
}

void sac_sodium_encrypt(const uint8_t key[32], uint8_t *bytes, size_t n, uint64_t number)
{
    (void)key, (void)bytes, (void)n, (void)number;
}

bool sac_sodium_decrypt(const uint8_t key[32], uint8_t *bytes, size_t n, uint64_t number)
{
    (void)key, (void)bytes, (void)n, (void)number;
    return false;
}
