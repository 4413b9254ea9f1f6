/*
 * change_u8 with vectors, V8 pixels at a time, by planes of channels; pixels of which none changed
 * are zeros without more ado.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "change_u8.h"
#include "simd/simd.h"

/* V8 pixels; returns how many changed. */
SIMD_INLINE int some(uint8_t *out, const uint8_t *in, const uint8_t *ref, v8 threshold,
                     int32_t channels)
{
    const v8 zero = v8_set(0);
    v8 most;
    if (channels == 1) {
        most = v8_absd(v8_load(in), v8_load(ref));
    } else if (channels == 3) {
        const v8x3 d = v8_absd3(in, ref);
        most = v8_max(v8_max(d.c[0], d.c[1]), d.c[2]);
    } else {
        const v8x4 d = v8_absd4(in, ref);
        most = v8_max(v8_max(d.c[0], d.c[1]), v8_max(d.c[2], d.c[3]));
    }
    const m8 is = v8_gt(most, threshold);
    if (channels == 1) {
        v8_store(out, v8_and(v8_sub(v8_load(in), v8_load(ref)), m8_bytes(is)));
        return m8_count(is);
    }
    const int n = m8_count(is);
    if (n == 0) {
        for (int32_t c = 0; c < channels; c++)
            v8_store(out + V8 * c, zero);
    } else if (channels == 3) {
        v8x3 a = v8_load3(in);
        const v8x3 b = v8_load3(ref);
        for (int c = 0; c < 3; c++)
            a.c[c] = v8_and(v8_sub(a.c[c], b.c[c]), m8_bytes(is));
        v8_store3(out, a);
    } else {
        v8x4 a = v8_load4(in);
        const v8x4 b = v8_load4(ref);
        for (int c = 0; c < 4; c++)
            a.c[c] = v8_and(v8_sub(a.c[c], b.c[c]), m8_bytes(is));
        v8_store4(out, a);
    }
    return n;
}

SIMD_INLINE int32_t rows(uint8_t *out, const uint8_t *in, ptrdiff_t in_row, const uint8_t *ref,
                         ptrdiff_t ref_row, const sac_delta_shape *shape, int32_t threshold,
                         int32_t channels)
{
    const v8 t = v8_set((uint8_t)threshold);
    const int64_t w = shape->w, whole = w / V8 * V8;
    const size_t rest = (size_t)((w - whole) * channels);
    int32_t n = 0;
    for (int64_t y = 0; y < shape->h; y++, in += in_row, ref += ref_row) {
        for (int64_t x = 0; x < whole; x += V8, out += V8 * channels)
            n += some(out, in + x * channels, ref + x * channels, t, channels);
        if (rest) {
            uint8_t a[4 * V8] = {0}, b[4 * V8] = {0}, d[4 * V8];
            memcpy(a, in + whole * channels, rest);
            memcpy(b, ref + whole * channels, rest);
            n += some(d, a, b, t, channels);
            memcpy(out, d, rest);
            out += rest;
        }
    }
    return n;
}

int32_t sac_change_u8_simd(uint8_t *out, const uint8_t *in, ptrdiff_t in_row, const uint8_t *ref,
                           ptrdiff_t ref_row, const sac_delta_shape *shape, int32_t threshold)
{
    if (shape->channels == 3)
        return rows(out, in, in_row, ref, ref_row, shape, threshold, 3);
    if (shape->channels == 1)
        return rows(out, in, in_row, ref, ref_row, shape, threshold, 1);
    return rows(out, in, in_row, ref, ref_row, shape, threshold, 4);
}
