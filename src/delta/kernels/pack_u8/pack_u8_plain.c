/*
 * pack_u8 in plain C: a row's channels first, which vectors do, then a step a byte.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_u8.h"

#define N SAC_DELTA_COLUMNS

static inline void split(uint8_t e[4][N], const uint8_t *in, int32_t channels)
{
    for (int i = 0; i < N; i++)
        for (int32_t c = 0; c < channels; c++)
            e[c][i] = in[i * channels + c];
    if (channels > 1)
        for (int i = 0; i < N; i++) {
            e[0][i] = (uint8_t)(e[0][i] - e[1][i]);
            e[2][i] = (uint8_t)(e[2][i] - e[1][i]);
        }
}

static void put_mask(uint8_t **mask, const uint8_t *kept)
{
    for (int i = 0; i < N; i += 8) {
        unsigned bits = 0;
        for (int k = 0; k < 8; k++)
            bits |= (unsigned)(kept[i + k] != 0) << k;
        *(*mask)++ = (uint8_t)bits;
    }
}

/* Writes every value, and advances past the kept ones only: no branch. */
static void put_values(uint8_t **value, const uint8_t *e, const uint8_t *kept)
{
    uint8_t *at = *value;
    for (int i = 0; i < N; i++) {
        *at = e[i];
        at += kept[i] != 0;
    }
    *value = at;
}

static inline void rows(sac_delta_planes *out, uint8_t *in, int64_t n_rows, int32_t channels,
                        bool shared)
{
    uint8_t e[4][N], any[N];
    for (int64_t y = 0; y < n_rows; y++, in += N * channels) {
        split(e, in, channels);
        if (shared) {
            for (int i = 0; i < N; i++) {
                any[i] = 0;
                for (int32_t c = 0; c < channels; c++)
                    any[i] |= e[c][i];
            }
            put_mask(&out->mask[0], any);
        }
        for (int32_t c = 0; c < channels; c++) {
            if (!shared)
                put_mask(&out->mask[c], e[c]);
            put_values(&out->value[c], e[c], shared ? any : e[c]);
        }
    }
}

void sac_pack_u8_plain(sac_delta_planes *out, const uint8_t *in, int64_t n_rows, int32_t channels,
                       bool shared)
{
    /* rows only reads `in`. */
    sac_delta_rows_by_channels(rows, out, (uint8_t *)in, n_rows, channels, shared);
}
