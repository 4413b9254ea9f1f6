/*
 * hog_u8 with AVX-512: gradients of bytes, 64 at once, then their votes, 32 at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_avx512.h"
#include "hog_u8.h"

void sac_hog_u8_avx512(uint32_t *hog, const sac_meltpool_frame_job *job)
{
    sac_meltpool_gradients g;
    const int32_t n = job->n, last = n - 1;
    for (int32_t y = 0; y < n; y++)
        for (int32_t x = 0; x < n; x += 64) {
            const __mmask64 in = sac_meltpool_lowest_from(n, x);
            const uint8_t *pixels = sac_meltpool_at(job, x, y);
            const __m512i v = _mm512_maskz_loadu_epi8(in, pixels);
            const __m512i up = _mm512_maskz_loadu_epi8(in, y > 0 ? pixels - job->row : pixels);
            const __m512i down = _mm512_maskz_loadu_epi8(in, y < last ? pixels + job->row : pixels);
            sac_meltpool_put_gradients(&g, v, up, down, pixels, x, y, n);
        }
    sac_meltpool_vote_all(hog, &g, n * n);
}
