/*
 * temporal_u8 with vectors of 16 bits; the table is looked up by its parts that are not all 0.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "simd/filters.h"
#include "temporal_u8_lines.h"

/* One half of V8 samples, with now = 2^8 x, m and its keep: returns 2^8 times the result. */
SIMD_INLINE v16 filter_half(uint16_t *state, v16 now, v16 past, v16 m, v16 keep)
{
    const v16 next = v16_step(now, v16_mulhi(keep, m), past);
    v16_store(state, next);
    return v16_shr(v16_add(next, v16_set(128)), 8);
}

SIMD_INLINE void filter_some(uint8_t *to, uint16_t *state, const uint8_t *from, const table16 *keep)
{
    const v16 half = v16_set(128);
    const v16x2 now = v8_widen_256(v8_load(from));
    const v16 past[2] = {v16_load(state), v16_load(state + V16)};
    const v16 m[2] = {v16_absd(now.lo, past[0]), v16_absd(now.hi, past[1])};
    const v16x2 k =
        table16_at(keep, (v16x2){v16_shr(v16_add(m[0], half), 8), v16_shr(v16_add(m[1], half), 8)});
    v8_store(to, v16_narrow((v16x2){filter_half(state, now.lo, past[0], m[0], k.lo),
                                    filter_half(state + V16, now.hi, past[1], m[1], k.hi)}));
}

static void filter_line(uint8_t *to, uint16_t *state, const uint8_t *from, int32_t n,
                        const void *keep)
{
    const table16 *table = keep;
    int32_t i = 0;
    for (; i + V8 <= n; i += V8)
        filter_some(to + i, state + i, from + i, table);
    if (i == n)
        return;
    uint8_t last[V8] = {0};
    uint16_t states[V8] = {0};
    const size_t rest = (size_t)(n - i);
    memcpy(last, from + i, rest);
    memcpy(states, state + i, 2 * rest);
    filter_some(last, states, last, table);
    memcpy(state + i, states, 2 * rest);
    memcpy(to + i, last, rest);
}

void sac_temporal_u8_simd(const sac_samples *out, uint16_t *state, const sac_samples *in,
                          const uint16_t *keep)
{
    table16 table;
    table16_make(&table, keep);
    sac_temporal_lines(out, state, in, &table, filter_line);
}
