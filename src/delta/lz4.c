/*
 * lz4 for the delta stream.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <lz4.h>

#include "delta/format.h"

bool sac_delta_lz4_is_here(void)
{
    return true;
}

size_t sac_delta_lz4_state(void)
{
    return (size_t)LZ4_sizeofState();
}

size_t sac_delta_lz4_pack(void *state, uint8_t *out, const uint8_t *in, size_t size)
{
    if (size > LZ4_MAX_INPUT_SIZE)
        return 0;
    int n = LZ4_compress_fast_extState(state, (const char *)in, (char *)out, (int)size,
                                       (int)size - 1, 1);
    return n > 0 ? (size_t)n : 0;
}

bool sac_delta_lz4_unpack(uint8_t *out, size_t out_size, const uint8_t *in, size_t in_size)
{
    if (in_size > LZ4_MAX_INPUT_SIZE || out_size > LZ4_MAX_INPUT_SIZE)
        return false;
    int n = LZ4_decompress_safe((const char *)in, (char *)out, (int)in_size, (int)out_size);
    return n >= 0 && (size_t)n == out_size;
}
