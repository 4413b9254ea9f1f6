/*
 * A build without lz4.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/format.h"

bool sac_delta_lz4_is_here(void)
{
    return false;
}

size_t sac_delta_lz4_state(void)
{
    return 0;
}

size_t sac_delta_lz4_pack(void *state, uint8_t *out, const uint8_t *in, size_t size)
{
    (void)state, (void)out, (void)in, (void)size;
    return 0;
}

bool sac_delta_lz4_unpack(uint8_t *out, size_t out_size, const uint8_t *in, size_t in_size)
{
    (void)out, (void)out_size, (void)in, (void)in_size;
    return false;
}
