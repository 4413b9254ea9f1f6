/*
 * unpack_u8 in plain C: one step per value, found by counting zeros; then the row's channels are
 * interleaved, which the compiler vectorizes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "unpack_u8.h"

#define N SAC_DELTA_COLUMNS

static void get_values(uint8_t *e, const uint8_t *mask, uint8_t **value)
{
    uint8_t *from = *value;
    memset(e, 0, N);
    for (int i = 0; i < N; i += 8)
        for (unsigned bits = mask[i / 8]; bits; bits &= bits - 1)
            e[i + __builtin_ctz(bits)] = *from++;
    *value = from;
}

static inline void rows(sac_delta_planes *in, uint8_t *restrict out, int64_t n_rows,
                        int32_t channels, bool shared)
{
    uint8_t e[4][N];
    for (int64_t y = 0; y < n_rows; y++, out += N * channels) {
        for (int32_t c = 0; c < channels; c++) {
            get_values(e[c], in->mask[shared ? 0 : c], &in->value[c]);
            in->mask[c] += shared ? 0 : N / 8;
        }
        in->mask[0] += shared ? N / 8 : 0;
        if (channels > 1)
            for (int i = 0; i < N; i++) {
                e[0][i] = (uint8_t)(e[0][i] + e[1][i]);
                e[2][i] = (uint8_t)(e[2][i] + e[1][i]);
            }
        for (int i = 0; i < N; i++)
            for (int32_t c = 0; c < channels; c++)
                out[i * channels + c] = e[c][i];
    }
}

void sac_unpack_u8_plain(uint8_t *out, sac_delta_planes *in, int64_t n_rows, int32_t channels,
                         bool shared)
{
    sac_delta_rows_by_channels(rows, in, out, n_rows, channels, shared);
}
