/*
 * frame_u8 by its stages one after another.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_U8_STAGES_H
#define SAC_MELTPOOL_FRAME_U8_STAGES_H

#include "frame_u8.h"
#include "meltpool/kernels/hog_u8/hog_u8.h"
#include "meltpool/kernels/mask_u8/mask_u8.h"
#include "meltpool/kernels/moments_u8/moments_u8.h"
#include "meltpool/kernels/polar_u8/polar_u8.h"

SAC_MELTPOOL_INLINE void sac_frame_stages(sac_meltpool_integers *out,
                                          const sac_meltpool_frame_job *job, sac_mask_u8_fn mask,
                                          sac_moments_u8_fn moments, sac_polar_u8_fn polar,
                                          sac_hog_u8_fn hog)
{
    sac_meltpool_bits bits;
    mask(&bits, job);
    moments(out, &bits, job);
    polar(out->polar, job);
    hog(out->hog, job);
}

#endif
