/*
 * frame_u8 with vectors: each row is looked at once, for its bright pixels, sectors and gradients.
 * Then come segments and votes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_simd.h"
#include "frame_u8.h"

#define INLINE SAC_MELTPOOL_INLINE

/* words: of 64 pixels in a row, a constant. */
INLINE void run(sac_meltpool_integers *out, const sac_meltpool_frame_job *job, const int32_t words)
{
    const int32_t n = job->n;
    sac_meltpool_roi roi;
    sac_meltpool_bits bits, pool;
    sac_meltpool_gradients g;
    *out = (sac_meltpool_integers){0};
    sac_meltpool_copy(&roi, job);
    sac_meltpool_polar_all(out->polar, &roi, job);
    for (int32_t y = 0; y < n; y++) {
        for (int32_t k = 0; k < words; k++)
            bits.row[y][k] = sac_meltpool_bright(&roi, job, k, y);
        for (int32_t x = 0; x < n; x += V8)
            sac_meltpool_put_gradients(&g, &roi, n, x, y);
    }
    if (sac_meltpool_segment(out, &pool, job, &bits, words, sac_meltpool_find_by_bits,
                             sac_meltpool_pick_by_bits))
        sac_meltpool_add_pool(out, &roi, n, &pool, words);
    sac_meltpool_vote_all(out->hog, &g, n * n);
}

void sac_frame_u8_simd(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    if (job->n <= 64)
        run(out, job, 1);
    else
        run(out, job, 2);
}
