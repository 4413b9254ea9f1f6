/*
 * zlib's streams, inflated into nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/hdf5/inflate.h"

#include <zlib.h>

#include "base/alloc.h"

#define SCRATCH (1 << 16)

sac_status sac_inflate_check(const uint8_t *bytes, size_t n, uint64_t size)
{
    z_stream z = {0};
    uint8_t *scratch = sac_alloc(SCRATCH, 1);
    sac_status st = scratch && inflateInit(&z) == Z_OK ? SAC_OK : SAC_E_NOMEM;
    uint64_t made = 0;
    int result = Z_OK;
    while (st == SAC_OK && result == Z_OK && (n || z.avail_in || z.avail_out == 0)) {
        if (z.avail_in == 0 && n) {
            size_t now = n < (1U << 30) ? n : 1U << 30;
            z.next_in = (z_const Bytef *)(uintptr_t)bytes; /* zlib's pointer is not const */
            z.avail_in = (uInt)now;
            bytes += now;
            n -= now;
        }
        z.next_out = scratch;
        z.avail_out = SCRATCH;
        result = inflate(&z, Z_NO_FLUSH);
        made += SCRATCH - z.avail_out;
        if (made > size)
            st = SAC_E_FORMAT;
        else if (result == Z_MEM_ERROR)
            st = SAC_E_NOMEM;
    }
    if (st == SAC_OK && (result != Z_STREAM_END || made != size))
        st = SAC_E_FORMAT;
    inflateEnd(&z);
    sac_free(scratch);
    return st;
}
