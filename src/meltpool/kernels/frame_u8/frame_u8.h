/*
 * frame_u8: the integers that give one frame's features 0..19, exact: the results of mask_u8,
 * moments_u8, polar_u8 and hog_u8, whose headers define them, from one reading of the ROI. Writes
 * the whole result.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_U8_H
#define SAC_MELTPOOL_FRAME_U8_H

#include "meltpool/kernels/frame.h"
#include "room/variant.h"

typedef void sac_frame_u8_function(sac_meltpool_integers *out, const sac_meltpool_frame_job *job);
typedef sac_frame_u8_function *sac_frame_u8_fn;

sac_frame_u8_function sac_frame_u8_ref, sac_frame_u8_plain, sac_frame_u8_stages, sac_frame_u8_avx2,
    sac_frame_u8_avx512, sac_frame_u8_neon;

SAC_INTERNAL extern const sac_room sac_frame_u8_room;

#endif
