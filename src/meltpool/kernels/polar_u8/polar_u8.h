/*
 * polar_u8: a frame's intensity by sectors of 60 degrees around its centre.
 *
 * polar[k] is the sum of I over the ROI's pixels of sector k. theta = atan2(y - yc, x - xc) in
 * [0, 360) degrees, atan2(0, 0) = 0, with the centre in Q16 fixed point; k = floor(theta / 60
 * degrees). With dx and dy in Q16, a pixel is in 1 or 4 where dy^2 > 3 dx^2, which are equal at the
 * centre only; where dy is 0, in 0 or, with dx < 0, in 3.
 *
 * With scan the job's edges decide instead, which are rounded: a = (dx, dy) has reached edge e
 * where e x a = e_x dy - e_y dx >= 0. Pixels that have not reached edge 0, and those of its line in
 * the opposite direction, are turned, (dx, dy) to -(dx, dy), and 3 is added to their sector, which
 * is how many of edges 1 and 2 they have reached; the centre's own pixel is in 0.
 *
 * Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_POLAR_U8_H
#define SAC_MELTPOOL_POLAR_U8_H

#include "meltpool/kernels/frame.h"
#include "room/variant.h"

typedef void sac_polar_u8_function(uint32_t *polar, const sac_meltpool_frame_job *job);
typedef sac_polar_u8_function *sac_polar_u8_fn;

sac_polar_u8_function sac_polar_u8_ref, sac_polar_u8_plain, sac_polar_u8_avx2, sac_polar_u8_avx512,
    sac_polar_u8_neon;

SAC_INTERNAL extern const sac_room sac_polar_u8_room;

#endif
