/*
 * unpack_u8 for AVX-512 VBMI and VBMI2: vpexpandb.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "unpack_u8.h"
#include "image/rgb_avx512.h"

static inline __m512i get(uint8_t **value, __mmask64 kept)
{
    if (!kept)
        return _mm512_setzero_si512();
    int n = (int)_mm_popcnt_u64(kept);
    __m512i x = _mm512_maskz_loadu_epi8(~(__mmask64)0 >> (64 - n), *value);
    *value += n;
    return _mm512_maskz_expand_epi8(kept, x);
}

static inline __mmask64 get_mask(uint8_t **mask)
{
    __mmask64 kept;
    memcpy(&kept, *mask, sizeof kept);
    *mask += sizeof kept;
    return kept;
}

/* One row from its channels, green put back. */
static inline void join(uint8_t *out, __m512i e[4], int32_t channels)
{
    if (channels == 1) {
        _mm512_storeu_si512(out, e[0]);
        return;
    }
    e[0] = _mm512_add_epi8(e[0], e[1]);
    e[2] = _mm512_add_epi8(e[2], e[1]);
    if (channels == 3) {
        sac_rgb64_store(out, (sac_rgb64){{e[0], e[1], e[2]}}, 64);
        return;
    }
    _Alignas(64) uint8_t plane[4][64];
    for (int c = 0; c < 4; c++)
        _mm512_store_si512(plane[c], e[c]);
    for (int i = 0; i < 64; i++)
        for (int c = 0; c < 4; c++)
            out[4 * i + c] = plane[c][i];
}

static inline void rows(sac_delta_planes *planes, uint8_t *out, int64_t n_rows, int32_t channels,
                        bool shared)
{
    sac_delta_planes in = *planes;
    for (int64_t y = 0; y < n_rows; y++, out += 64 * channels) {
        __m512i e[4];
        __mmask64 kept = 0;
        for (int32_t c = 0; c < channels; c++) {
            if (c == 0 || !shared)
                kept = get_mask(&in.mask[c]);
            e[c] = get(&in.value[c], kept);
        }
        join(out, e, channels);
    }
    *planes = in;
}

void sac_unpack_u8_avx512(uint8_t *out, sac_delta_planes *in, int64_t n_rows, int32_t channels,
                          bool shared)
{
    sac_delta_rows_by_channels(rows, in, out, n_rows, channels, shared);
}
