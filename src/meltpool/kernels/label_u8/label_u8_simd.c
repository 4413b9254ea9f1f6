/*
 * label_u8 with vectors: 64 pixels are compared at once, and a run begins and ends where their bits
 * differ from the bit before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "label_u8_inline.h"
#include "simd/sums.h"

/* The bits of n <= 64 pixels. */
SIMD_INLINE uint64_t bits_of(const uint8_t *pixels, int64_t n, v8 threshold)
{
    uint8_t some[64] = {0};
    if (n == 64)
        return bits64_ge(pixels, threshold);
    memcpy(some, pixels, (size_t)n);
    return bits64_ge(some, threshold) & ((UINT64_C(1) << n) - 1);
}

static inline int32_t find(sac_label_run *runs, const uint8_t *row, int64_t w, int32_t threshold)
{
    if (threshold > 255)
        return 0;
    const v8 t = v8_set((uint8_t)threshold);
    uint64_t before = 0; /* the last pixel's bit */
    int32_t n = 0;
    for (int64_t x = 0; x < w; x += 64) {
        const uint64_t bits = bits_of(row + x, w - x < 64 ? w - x : 64, t);
        for (uint64_t edges = bits ^ (bits << 1 | before); edges; edges &= edges - 1) {
            const int32_t at = (int32_t)x + __builtin_ctzll(edges);
            if (bits >> (at & 63) & 1)
                runs[n].x0 = at;
            else
                runs[n++].x1 = at;
        }
        before = bits >> 63;
    }
    if (before) /* the last pixel of whole vectors; else its run has ended after it */
        runs[n++].x1 = (int32_t)w;
    return n;
}

int32_t sac_label_u8_simd(const sac_label_job *job)
{
    return sac_label_by_runs(job, find);
}
