/*
 * hog_u8 with vectors: gradients of bytes, then their votes, V16 at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_simd.h"
#include "hog_u8.h"

void sac_hog_u8_simd(uint32_t *hog, const sac_meltpool_frame_job *job)
{
    sac_meltpool_roi roi;
    sac_meltpool_gradients g;
    sac_meltpool_copy(&roi, job);
    for (int32_t y = 0; y < job->n; y++)
        for (int32_t x = 0; x < job->n; x += V8)
            sac_meltpool_put_gradients(&g, &roi, job->n, x, y);
    sac_meltpool_vote_all(hog, &g, job->n * job->n);
}
