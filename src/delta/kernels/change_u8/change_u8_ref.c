/*
 * change_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "change_u8.h"

int32_t sac_change_u8_ref(uint8_t *out, const uint8_t *in, ptrdiff_t in_row, const uint8_t *ref,
                          ptrdiff_t ref_row, const sac_delta_shape *shape, int32_t threshold)
{
    int32_t channels = shape->channels, n = 0;
    for (int64_t y = 0; y < shape->h; y++)
        for (int64_t x = 0; x < shape->w; x++) {
            const uint8_t *a = in + y * in_row + x * channels;
            const uint8_t *b = ref + y * ref_row + x * channels;
            uint8_t *o = out + (y * shape->w + x) * channels;
            bool changed = false;
            for (int32_t c = 0; c < channels; c++)
                changed = changed || abs(a[c] - b[c]) > threshold;
            for (int32_t c = 0; c < channels; c++)
                o[c] = changed ? (uint8_t)(a[c] - b[c]) : 0;
            n += changed;
        }
    return n;
}
