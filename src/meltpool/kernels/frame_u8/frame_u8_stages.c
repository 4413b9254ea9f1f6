/*
 * frame_u8 with AVX-512, stage after stage; `avx512` reads the ROI only once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages.h"

void sac_frame_u8_stages(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    sac_frame_stages(out, job, sac_mask_u8_avx512, sac_moments_u8_avx512, sac_polar_u8_avx512,
                     sac_hog_u8_avx512);
}
