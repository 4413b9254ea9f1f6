/*
 * Tags of packets, by libsodium.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net/wire.h"

#include <sodium.h>

bool sac_packet_can_use_key(void)
{
    return sodium_init() >= 0; /* which also chooses the fastest code for this processor */
}

bool sac_packet_tag(uint8_t tag[16], const sac_packet_key *key, const uint8_t *head,
                    size_t head_bytes, const uint8_t *body, size_t body_bytes)
{
    crypto_generichash_state state;
    bool ok = crypto_generichash_init(&state, key->bytes, sizeof key->bytes, 16) == 0 &&
              crypto_generichash_update(&state, head, head_bytes) == 0 &&
              crypto_generichash_update(&state, body, body_bytes) == 0 &&
              crypto_generichash_final(&state, tag, 16) == 0;
    sodium_memzero(&state, sizeof state); /* it begins with the key */
    return ok;
}

bool sac_packet_tag_equal(const uint8_t a[16], const uint8_t b[16])
{
    return sodium_memcmp(a, b, 16) == 0;
}
