/*
 * change_u8 in plain C: rows in which no byte changed, most of them, cost a comparison that
 * the compiler makes vectors of.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "change_u8.h"
#include "image/pixels_inline.h"

static bool is_still(const uint8_t *a, const uint8_t *b, uint8_t threshold, int64_t n)
{
    uint8_t any = 0;
    for (int64_t i = 0; i < n; i++)
        any |= sac_differ_u8(a[i], b[i]) > threshold;
    return !any;
}

static inline int32_t row(uint8_t *restrict out, const uint8_t *a, const uint8_t *b,
                          uint8_t threshold, int64_t w, int32_t channels)
{
    int32_t n = 0;
    for (int64_t x = 0; x < w; x++) {
        uint8_t changed = 0;
        for (int32_t c = 0; c < channels; c++)
            changed |= sac_differ_u8(a[x * channels + c], b[x * channels + c]) > threshold;
        for (int32_t c = 0; c < channels; c++) {
            int64_t i = x * channels + c;
            out[i] = (uint8_t)((a[i] - b[i]) & -changed);
        }
        n += changed;
    }
    return n;
}

int32_t sac_change_u8_plain(uint8_t *out, const uint8_t *in, ptrdiff_t in_row, const uint8_t *ref,
                            ptrdiff_t ref_row, const sac_delta_shape *shape, int32_t threshold)
{
    int64_t w = shape->w, n_bytes = w * shape->channels;
    uint8_t t = (uint8_t)threshold;
    int32_t n = 0;
    for (int64_t y = 0; y < shape->h; y++, out += n_bytes, in += in_row, ref += ref_row) {
        if (is_still(in, ref, t, n_bytes))
            memset(out, 0, (size_t)n_bytes);
        else if (shape->channels == 3)
            n += row(out, in, ref, t, w, 3);
        else if (shape->channels == 1)
            n += row(out, in, ref, t, w, 1);
        else
            n += row(out, in, ref, t, w, 4);
    }
    return n;
}
