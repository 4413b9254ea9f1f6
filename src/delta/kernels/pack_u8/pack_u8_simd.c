/*
 * pack_u8 with vectors: a row's channels as planes; the values that are not 0 are moved together.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_u8.h"
#include "simd/simd.h"

/* The channels of V8 pixels, green taken out. */
SIMD_INLINE v8x4 split(const uint8_t *in, int32_t channels)
{
    v8x4 e = {{v8_set(0), v8_set(0), v8_set(0), v8_set(0)}};
    if (channels == 1) {
        e.c[0] = v8_load(in);
        return e;
    }
    if (channels == 3) {
        const v8x3 p = v8_load3(in);
        for (int c = 0; c < 3; c++)
            e.c[c] = p.c[c];
    } else {
        e = v8_load4(in);
    }
    e.c[0] = v8_sub(e.c[0], e.c[1]);
    e.c[2] = v8_sub(e.c[2], e.c[1]);
    return e;
}

SIMD_INLINE void rows(sac_delta_planes *planes, uint8_t *in, int64_t n_rows, int32_t channels,
                      bool shared)
{
    sac_delta_planes out = *planes;
    for (int64_t y = 0; y < n_rows; y++)
        for (int x = 0; x < SAC_DELTA_COLUMNS; x += V8, in += V8 * channels) {
            const v8x4 e = split(in, channels);
            v8 any = e.c[0];
            for (int32_t c = 1; shared && c < channels; c++)
                any = v8_or(any, e.c[c]);
            uint64_t kept = m8_bits(v8_nonzero(any));
            for (int32_t c = 0; c < channels; c++) {
                if (c > 0 && !shared)
                    kept = m8_bits(v8_nonzero(e.c[c]));
                if (c == 0 || !shared) {
                    memcpy(out.mask[c], &kept, V8 / 8); /* the lowest byte first */
                    out.mask[c] += V8 / 8;
                }
                if (kept)
                    out.value[c] += v8_compress(out.value[c], e.c[c], kept);
            }
        }
    *planes = out;
}

void sac_pack_u8_simd(sac_delta_planes *out, const uint8_t *in, int64_t n_rows, int32_t channels,
                      bool shared)
{
    /* rows only reads `in`. */
    sac_delta_rows_by_channels(rows, out, (uint8_t *)in, n_rows, channels, shared);
}
