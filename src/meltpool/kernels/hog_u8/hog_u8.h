/*
 * hog_u8: a histogram of a frame's gradients by direction, the ROI being one cell.
 *
 * gx = I(x + 1, y) - I(x - 1, y), gy = I(x, y + 1) - I(x, y - 1), the ROI's border pixels
 * replicated. Each votes with its magnitude m = floor(16 sqrt(gx^2 + gy^2) + 1/2) for one of 9 bins
 * of 20 degrees. With (u, v) = (gx, gy) turned so that v > 0, or v = 0 and u >= 0, the bin is how
 * many of these edges it has reached: sac_meltpool_edge_x v - sac_meltpool_edge_y u >= 0. (They are
 * 32767 (cos, sin) of 20, 40 .. 160 degrees, rounded: for gradients of bytes the bin is that of the
 * true angle, and none lies on an edge but 0.) Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_HOG_U8_H
#define SAC_MELTPOOL_HOG_U8_H

#include "meltpool/kernels/frame.h"
#include "room/variant.h"

/* Where bins 1..8 begin. */
static const int32_t sac_meltpool_edge_x[] = {30791, 25101,  16384,  5690,
                                              -5690, -16384, -25101, -30791};
static const int32_t sac_meltpool_edge_y[] = {11207, 21062, 28377, 32269,
                                              32269, 28377, 21062, 11207};

typedef void sac_hog_u8_function(uint32_t *hog, const sac_meltpool_frame_job *job);
typedef sac_hog_u8_function *sac_hog_u8_fn;

sac_hog_u8_function sac_hog_u8_ref, sac_hog_u8_plain, sac_hog_u8_avx2, sac_hog_u8_avx512,
    sac_hog_u8_neon;

SAC_INTERNAL extern const sac_room sac_hog_u8_room;

#endif
