/*
 * mask_u8 in plain C: a word at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mask_u8.h"

void sac_mask_u8_plain(sac_meltpool_bits *bits, const sac_meltpool_frame_job *job)
{
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t k = 0; k < SAC_MELTPOOL_WORDS; k++) {
            const uint8_t *pixels = sac_meltpool_at(job, 64 * k, y);
            const int32_t n = job->n - 64 * k < 64 ? job->n - 64 * k : 64;
            uint64_t word = 0;
            for (int32_t x = 0; x < n; x++)
                word |= (uint64_t)(pixels[x] >= job->threshold) << x;
            bits->row[y][k] = word;
        }
}
