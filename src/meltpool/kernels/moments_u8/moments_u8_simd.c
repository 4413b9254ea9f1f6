/*
 * moments_u8 with vectors: runs by bits, and the pool's sums row by row.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_simd.h"
#include "moments_u8.h"

/* words: of 64 pixels in a row, a constant. */
SAC_MELTPOOL_INLINE void run(sac_meltpool_integers *out, const sac_meltpool_bits *bits,
                             const sac_meltpool_frame_job *job, const int32_t words)
{
    sac_meltpool_bits pool;
    *out = (sac_meltpool_integers){0};
    if (sac_meltpool_segment(out, &pool, job, bits, words, sac_meltpool_find_by_bits,
                             sac_meltpool_pick_by_bits)) {
        sac_meltpool_roi roi;
        sac_meltpool_copy(&roi, job);
        sac_meltpool_add_pool(out, &roi, job->n, &pool, words);
    }
}

void sac_moments_u8_simd(sac_meltpool_integers *out, const sac_meltpool_bits *bits,
                         const sac_meltpool_frame_job *job)
{
    if (job->n <= 64)
        run(out, bits, job, 1);
    else
        run(out, bits, job, 2);
}
