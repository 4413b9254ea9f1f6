/*
 * frame_u8 with AVX-512, its stages one after another: what reading the ROI once saves is
 * `avx512`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/hog_u8/hog_u8.h"
#include "meltpool/kernels/mask_u8/mask_u8.h"
#include "meltpool/kernels/moments_u8/moments_u8.h"
#include "meltpool/kernels/polar_u8/polar_u8.h"
#include "frame_u8.h"

void sac_frame_u8_stages(sac_meltpool_integers *out, const sac_meltpool_frame_job *job)
{
    sac_meltpool_bits bits;
    sac_mask_u8_avx512(&bits, job);
    sac_moments_u8_avx512(out, &bits, job);
    sac_polar_u8_avx512(out->polar, job);
    sac_hog_u8_avx512(out->hog, job);
}
