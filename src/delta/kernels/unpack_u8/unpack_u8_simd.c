/*
 * unpack_u8 with vectors: values are spread to where the masks' bits are, and planes interleaved.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "simd/simd.h"
#include "unpack_u8.h"

#define N SAC_DELTA_COLUMNS
#define AHEAD 8 /* bytes that v8_expand may read after the values */

/* Rows, of n_rows, after which a channel has AHEAD values or more. */
static int64_t far_from_end(const uint8_t *mask, int64_t n_rows)
{
    int after = 0;
    while (n_rows > 0 && after < AHEAD) {
        uint64_t bits;
        memcpy(&bits, mask + N / 8 * --n_rows, sizeof bits);
        after += __builtin_popcountll(bits);
    }
    return n_rows;
}

/* The values of V8 pixels. */
SIMD_INLINE v8 get(uint8_t **value, const uint8_t *mask, bool is_far)
{
    uint64_t bits = 0;
    uint8_t last[V8 + AHEAD];
    memcpy(&bits, mask, V8 / 8);
    const int n = __builtin_popcountll(bits);
    const uint8_t *from = *value;
    *value += n;
    if (!is_far)
        from = memcpy(last, from, (size_t)n);
    return v8_expand(from, bits);
}

SIMD_INLINE void join(uint8_t *out, v8x4 e, int32_t channels)
{
    if (channels == 1) {
        v8_store(out, e.c[0]);
        return;
    }
    e.c[0] = v8_add(e.c[0], e.c[1]);
    e.c[2] = v8_add(e.c[2], e.c[1]);
    if (channels == 3)
        v8_store3(out, (v8x3){{e.c[0], e.c[1], e.c[2]}});
    else
        v8_store4(out, e);
}

SIMD_INLINE void some_rows(sac_delta_planes *in, uint8_t *out, int64_t n_rows, int32_t channels,
                           bool shared, bool are_far)
{
    for (int64_t i = 0; i < n_rows * (N / V8); i++, out += V8 * channels) {
        v8x4 e;
        for (int32_t c = 0; c < channels; c++)
            e.c[c] = get(&in->value[c], in->mask[shared ? 0 : c], are_far);
        for (int32_t c = 0; c < (shared ? 1 : channels); c++)
            in->mask[c] += V8 / 8;
        join(out, e, channels);
    }
}

SIMD_INLINE void rows(sac_delta_planes *planes, uint8_t *out, int64_t n_rows, int32_t channels,
                      bool shared)
{
    sac_delta_planes in = *planes;
    int64_t n_far = n_rows;
    for (int32_t c = 0; c < (shared ? 1 : channels); c++) {
        const int64_t n = far_from_end(in.mask[c], n_rows);
        n_far = n < n_far ? n : n_far;
    }
    some_rows(&in, out, n_far, channels, shared, true);
    some_rows(&in, out + N * channels * n_far, n_rows - n_far, channels, shared, false);
    *planes = in;
}

void sac_unpack_u8_simd(uint8_t *out, sac_delta_planes *in, int64_t n_rows, int32_t channels,
                        bool shared)
{
    sac_delta_rows_by_channels(rows, in, out, n_rows, channels, shared);
}
