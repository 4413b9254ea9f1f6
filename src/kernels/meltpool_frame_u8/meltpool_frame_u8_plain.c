/*
 * meltpool_frame_u8 in plain C: the stages one after another.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/meltpool_hog_u8/meltpool_hog_u8.h"
#include "kernels/meltpool_mask_u8/meltpool_mask_u8.h"
#include "kernels/meltpool_moments_u8/meltpool_moments_u8.h"
#include "kernels/meltpool_polar_u8/meltpool_polar_u8.h"
#include "meltpool_frame_u8.h"

void sac_meltpool_frame_u8_plain(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    sac_meltpool_bits bits;
    sac_meltpool_mask_u8_plain(&bits, job);
    sac_meltpool_moments_u8_plain(out, &bits, job);
    sac_meltpool_polar_u8_plain(out->polar, job);
    sac_meltpool_hog_u8_plain(out->hog, job);
}
