/*
 * unpack_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unpack_u8.h"

void sac_unpack_u8_ref(uint8_t *out, sac_delta_planes *in, int64_t n_rows, int32_t channels,
                       bool shared)
{
    for (int64_t i = 0; i < n_rows * SAC_DELTA_COLUMNS; i++, out += channels) {
        for (int32_t c = 0; c < channels; c++) {
            bool kept = *in->mask[shared ? 0 : c] >> (i % 8) & 1;
            out[c] = kept ? *in->value[c]++ : 0;
            in->mask[c] += i % 8 == 7 && !shared;
        }
        in->mask[0] += i % 8 == 7 && shared;
        if (channels > 1) {
            out[0] = (uint8_t)(out[0] + out[1]);
            out[2] = (uint8_t)(out[2] + out[1]);
        }
    }
}
