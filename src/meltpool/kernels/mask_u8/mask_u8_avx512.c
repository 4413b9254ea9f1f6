/*
 * mask_u8 with AVX-512: 64 pixels are compared at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_avx512.h"
#include "mask_u8.h"

void sac_mask_u8_avx512(sac_meltpool_bits *bits, const sac_meltpool_frame_job *job)
{
    const int32_t n = job->n, threshold = job->threshold;
    for (int32_t y = 0; y < n; y++)
        for (int32_t x = 0; x < SAC_MELTPOOL_MAX_ROI; x += 64) {
            const __mmask64 in = sac_meltpool_lowest_from(n, x);
            const __m512i v = _mm512_maskz_loadu_epi8(in, sac_meltpool_at(job, x, y));
            bits->row[y][x / 64] = sac_meltpool_bright(in, v, threshold);
        }
}
