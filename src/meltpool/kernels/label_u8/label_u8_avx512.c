/*
 * label_u8 with AVX-512: 64 pixels are compared at once, and a run begins and ends where their bits
 * differ from the bit before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <immintrin.h>

#include "label_u8_inline.h"

static inline int32_t find(sac_label_run *runs, const uint8_t *row, int64_t w, int32_t threshold)
{
    if (threshold > 255)
        return 0;
    const __m512i t = _mm512_set1_epi8((char)threshold);
    uint64_t before = 0; /* the last pixel's bit */
    int32_t n = 0;
    for (int64_t x = 0; x < w; x += 64) {
        const __mmask64 some = w - x < 64 ? (UINT64_C(1) << (w - x)) - 1 : ~UINT64_C(0);
        const uint64_t bits =
            _mm512_mask_cmpge_epu8_mask(some, _mm512_maskz_loadu_epi8(some, row + x), t);
        for (uint64_t edges = bits ^ (bits << 1 | before); edges; edges &= edges - 1) {
            const int32_t at = (int32_t)x + (int32_t)_tzcnt_u64(edges);
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

int32_t sac_label_u8_avx512(const sac_label_job *job)
{
    return sac_label_by_runs(job, find);
}
