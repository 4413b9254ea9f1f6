/*
 * pack_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_u8.h"

static uint8_t residual(const uint8_t *pixel, int32_t c, int32_t channels)
{
    bool green_out = channels > 1 && (c == 0 || c == 2);
    return (uint8_t)(pixel[c] - (green_out ? pixel[1] : 0));
}

void sac_pack_u8_ref(sac_delta_planes *out, const uint8_t *in, int64_t n_rows, int32_t channels,
                     bool shared)
{
    for (int64_t i = 0; i < n_rows * SAC_DELTA_COLUMNS; i++) {
        const uint8_t *pixel = in + i * channels;
        bool any = false;
        for (int32_t c = 0; c < channels; c++)
            any = any || residual(pixel, c, channels) != 0;
        for (int32_t c = 0; c < channels; c++) {
            uint8_t e = residual(pixel, c, channels);
            bool kept = shared ? any : e != 0;
            if (kept)
                *out->value[c]++ = e;
            if (shared && c > 0)
                continue;
            if (i % 8 == 0)
                *out->mask[c] = 0;
            *out->mask[c] |= (uint8_t)(kept << (i % 8));
            out->mask[c] += i % 8 == 7;
        }
    }
}
