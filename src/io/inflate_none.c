/*
 * Without zlib only what deflate can make of bytes at best is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/inflate.h"

#define MAX_EXPANSION 1032
#define NO_HARM (UINT64_C(64) << 20) /* bytes */

sac_status sac_inflate_check(const uint8_t *bytes, size_t n, uint64_t most)
{
    (void)bytes;
    return n <= (most + NO_HARM) / MAX_EXPANSION ? SAC_OK : SAC_E_FORMAT;
}
