/*
 * A build without libsodium: keys are refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net/wire.h"

bool sac_packet_can_use_key(void)
{
    return false;
}

bool sac_packet_tag(uint8_t tag[16], const sac_packet_key *key, const uint8_t *head,
                    size_t head_bytes, const uint8_t *body, size_t body_bytes)
{
    (void)tag, (void)key, (void)head, (void)head_bytes, (void)body, (void)body_bytes;
    return false;
}

bool sac_packet_tag_equal(const uint8_t a[16], const uint8_t b[16])
{
    (void)a, (void)b;
    return false;
}
