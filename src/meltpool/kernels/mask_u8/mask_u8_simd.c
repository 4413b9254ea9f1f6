/*
 * mask_u8 with vectors: 64 comparisons become a word.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_simd.h"
#include "mask_u8.h"

void sac_mask_u8_simd(sac_meltpool_bits *bits, const sac_meltpool_frame_job *job)
{
    sac_meltpool_roi roi;
    sac_meltpool_copy(&roi, job);
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t k = 0; k < SAC_MELTPOOL_WORDS; k++)
            bits->row[y][k] = sac_meltpool_bright(&roi, job, k, y);
}
