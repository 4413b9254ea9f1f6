/*
 * frame_u8: the specification, the stages' one after another.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages.h"

void sac_frame_u8_ref(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    sac_frame_stages(out, job, sac_mask_u8_ref, sac_moments_u8_ref, sac_polar_u8_ref,
                     sac_hog_u8_ref);
}
