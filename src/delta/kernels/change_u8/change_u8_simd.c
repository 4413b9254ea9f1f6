/*
 * change_u8 with vectors, V8 pixels at a time, by planes of channels; pixels of which none changed
 * are zeros without more ado.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "change_u8.h"
#include "simd/simd.h"

SIMD_INLINE int none(uint8_t *out, int32_t channels)
{
    for (int32_t c = 0; c < channels; c++)
        v8_store(out + V8 * c, v8_set(0));
    return 0;
}

SIMD_INLINE int some_1(uint8_t *out, const uint8_t *in, const uint8_t *ref, v8 threshold)
{
    const v8 a = v8_load(in), b = v8_load(ref);
    const m8 is = v8_gt(v8_absd(a, b), threshold);
    v8_store(out, v8_and(v8_sub(a, b), m8_bytes(is)));
    return m8_count(is);
}

/* Channels are brought together only where a byte is far off. */
SIMD_INLINE int some_3(uint8_t *out, const uint8_t *in, const uint8_t *ref, v8 threshold)
{
    v8x3 d = v8_mixed_absd3(in, ref);
    if (!m8_any(v8_gt(v8_max(v8_max(d.c[0], d.c[1]), d.c[2]), threshold)))
        return none(out, 3);
    d = v8_split3(d);
    const m8 is = v8_gt(v8_max(v8_max(d.c[0], d.c[1]), d.c[2]), threshold);
    const v8x3 keep = m8_spread3(is);
    for (int c = 0; c < 3; c++) {
        const v8 change = v8_sub(v8_load(in + V8 * c), v8_load(ref + V8 * c));
        v8_store(out + V8 * c, v8_and(change, keep.c[c]));
    }
    return m8_count(is);
}

SIMD_INLINE int some_4(uint8_t *out, const uint8_t *in, const uint8_t *ref, v8 threshold)
{
    const v8x4 d = v8_absd4(in, ref);
    const m8 is = v8_gt(v8_max(v8_max(d.c[0], d.c[1]), v8_max(d.c[2], d.c[3])), threshold);
    if (!m8_any(is))
        return none(out, 4);
    v8x4 a = v8_load4(in);
    const v8x4 b = v8_load4(ref);
    for (int c = 0; c < 4; c++)
        a.c[c] = v8_and(v8_sub(a.c[c], b.c[c]), m8_bytes(is));
    v8_store4(out, a);
    return m8_count(is);
}

/* V8 pixels; returns how many changed. */
SIMD_INLINE int some(uint8_t *out, const uint8_t *in, const uint8_t *ref, v8 threshold,
                     int32_t channels)
{
    return channels == 1   ? some_1(out, in, ref, threshold)
           : channels == 3 ? some_3(out, in, ref, threshold)
                           : some_4(out, in, ref, threshold);
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
