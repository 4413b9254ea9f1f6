/*
 * moments_u8: pool and spatters of a frame's ROI, from its bright pixels' bits.
 *
 * Bright pixels that share an edge are of one component (4-connected). The pool is the component of
 * the bright pixel that is nearest to the centre's pixel (Euclidean; of equally near ones the first
 * in raster order); the other components of at least spatter_min pixels are spatters.
 *
 * bits as mask_u8 writes them. Writes the whole result, polar and hog as 0. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_MOMENTS_U8_H
#define SAC_MELTPOOL_MOMENTS_U8_H

#include "meltpool/kernels/frame.h"
#include "room/variant.h"

typedef void sac_moments_u8_function(sac_meltpool_integers *out, const sac_meltpool_bits *bits,
                                     const sac_meltpool_frame_job *job);
typedef sac_moments_u8_function *sac_moments_u8_fn;

sac_moments_u8_function sac_moments_u8_ref, sac_moments_u8_plain, sac_moments_u8_avx2,
    sac_moments_u8_avx512, sac_moments_u8_neon;

SAC_INTERNAL extern const sac_room sac_moments_u8_room;

#endif
