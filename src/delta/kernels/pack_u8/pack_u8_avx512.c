/*
 * pack_u8 for AVX-512 VBMI and VBMI2: vpcompressb, in registers, since to memory it is slow
 * on Zen 4.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "pack_u8.h"
#include "image/rgb_avx512.h"

/* One row's channels, green taken out. */
static inline void split(__m512i e[4], const uint8_t *in, int32_t channels)
{
    if (channels == 1) {
        e[0] = _mm512_loadu_si512(in);
        return;
    }
    if (channels == 3) {
        sac_rgb64 p = sac_rgb64_load(in, 64);
        for (int c = 0; c < 3; c++)
            e[c] = p.c[c];
    } else {
        _Alignas(64) uint8_t plane[4][64];
        for (int i = 0; i < 64; i++)
            for (int c = 0; c < 4; c++)
                plane[c][i] = in[4 * i + c];
        for (int c = 0; c < 4; c++)
            e[c] = _mm512_load_si512(plane[c]);
    }
    e[0] = _mm512_sub_epi8(e[0], e[1]);
    e[2] = _mm512_sub_epi8(e[2], e[1]);
}

/* 64 bytes fit here: the values of the rows before are no more than their pixels. */
static inline void put(uint8_t **value, __m512i e, __mmask64 kept)
{
    _mm512_storeu_si512(*value, _mm512_maskz_compress_epi8(kept, e));
    *value += _mm_popcnt_u64(kept);
}

static inline void put_mask(uint8_t **mask, __mmask64 kept)
{
    memcpy(*mask, &kept, sizeof kept);
    *mask += sizeof kept;
}

static inline void rows(sac_delta_planes *planes, uint8_t *in, int64_t n_rows, int32_t channels,
                        bool shared)
{
    sac_delta_planes out = *planes;
    for (int64_t y = 0; y < n_rows; y++, in += 64 * channels) {
        __m512i e[4];
        split(e, in, channels);
        if (shared) {
            __m512i any = e[0];
            for (int32_t c = 1; c < channels; c++)
                any = _mm512_or_si512(any, e[c]);
            __mmask64 kept = _mm512_test_epi8_mask(any, any);
            put_mask(&out.mask[0], kept);
            if (kept)
                for (int32_t c = 0; c < channels; c++)
                    put(&out.value[c], e[c], kept);
        } else {
            for (int32_t c = 0; c < channels; c++) {
                __mmask64 kept = _mm512_test_epi8_mask(e[c], e[c]);
                put_mask(&out.mask[c], kept);
                put(&out.value[c], e[c], kept);
            }
        }
    }
    *planes = out;
}

void sac_pack_u8_avx512(sac_delta_planes *out, const uint8_t *in, int64_t n_rows, int32_t channels,
                        bool shared)
{
    /* rows only reads `in`. */
    sac_delta_rows_by_channels(rows, out, (uint8_t *)in, n_rows, channels, shared);
}
