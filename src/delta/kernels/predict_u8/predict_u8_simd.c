/*
 * predict_u8 with vectors: as in plain C, the costs summed by the CPU's sum of bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "predict_u8.h"
#include "simd/simd.h"

/* V8 residuals; returns what each costs. */
SIMD_INLINE v8 predict(uint8_t *out, const uint8_t *in, const uint8_t *left, const uint8_t *up,
                       const uint8_t *up_left)
{
    const v8 a = v8_load(left), b = v8_load(up), c = v8_load(up_left);
    const v8 low = v8_min(a, b), high = v8_max(a, b);
    v8 p = v8_sub(v8_add(a, b), c);
    p = v8_select(v8_eq(v8_max(c, high), c), low, p);
    p = v8_select(v8_eq(v8_min(c, low), c), high, p);
    const v8 d = v8_sub(v8_load(in), p);
    v8_store(out, d);
    return v8_min(d, v8_sub(v8_set(0), d));
}

uint32_t sac_predict_u8_simd(uint8_t *out, const uint8_t *in, const uint8_t *left,
                             const uint8_t *up, const uint8_t *up_left, int64_t n)
{
    vsum sum = vsum_zero();
    int64_t i = 0;
    for (; i + V8 <= n; i += V8)
        sum = vsum_add(sum, predict(out + i, in + i, left + i, up + i, up_left + i));
    if (i < n) { /* zeros after them cost nothing */
        uint8_t rest[5][V8] = {{0}};
        const size_t bytes = (size_t)(n - i);
        memcpy(rest[1], in + i, bytes);
        memcpy(rest[2], left + i, bytes);
        memcpy(rest[3], up + i, bytes);
        memcpy(rest[4], up_left + i, bytes);
        sum = vsum_add(sum, predict(rest[0], rest[1], rest[2], rest[3], rest[4]));
        memcpy(out + i, rest[0], bytes);
    }
    return vsum_total(sum);
}
