/*
 * mask_u8: the specification, by pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mask_u8.h"

void sac_mask_u8_ref(sac_meltpool_bits *bits, const sac_meltpool_frame_job *job)
{
    for (int32_t y = 0; y < job->n; y++) {
        for (int32_t k = 0; k < SAC_MELTPOOL_WORDS; k++)
            bits->row[y][k] = 0;
        for (int32_t x = 0; x < job->n; x++)
            if (*sac_meltpool_at(job, x, y) >= job->threshold)
                bits->row[y][x / 64] |= UINT64_C(1) << x % 64;
    }
}
