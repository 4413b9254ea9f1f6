/*
 * temporal_u8 in plain C: rows in pieces, so that what is not dense is copied through a line; the
 * table is looked up by a loop of its own, between two that are vectors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "temporal_u8_lines.h"

static inline void filter_line(uint8_t *to, uint16_t *restrict state, const uint8_t *from,
                               int32_t n, const void *of)
{
    const uint16_t *keep = of;
    uint16_t m[SAC_LINE], k[SAC_LINE];
    for (int32_t i = 0; i < n; i++) {
        uint16_t now = (uint16_t)(from[i] << 8);
        m[i] = (uint16_t)(now > state[i] ? now - state[i] : state[i] - now);
    }
    for (int32_t i = 0; i < n; i++)
        k[i] = keep[(m[i] + 128) >> 8];
    for (int32_t i = 0; i < n; i++) {
        uint16_t now = (uint16_t)(from[i] << 8), rest = (uint16_t)((uint32_t)k[i] * m[i] >> 16);
        uint16_t next = (uint16_t)(state[i] > now ? now + rest : now - rest);
        state[i] = next;
        to[i] = (uint8_t)((uint16_t)(next + 128) >> 8);
    }
}

void sac_temporal_u8_plain(const sac_samples *out, uint16_t *state, const sac_samples *in,
                           const uint16_t *keep)
{
    sac_temporal_lines(out, state, in, keep, filter_line);
}
