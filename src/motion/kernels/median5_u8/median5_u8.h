/*
 * median5_u8: the median of 5 x 5 samples, each channel separately.
 *
 *     out(x, y) = the 13th smallest of in(x + i, y + j), -2 <= i, j <= 2
 *
 * Layouts, borders and rows: motion/kernels/samples.h; f is ignored. Exact.
 * The reference, of both sizes, is motion/kernels/median_u8_ref.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_MEDIAN5_U8_H
#define SAC_MOTION_MEDIAN5_U8_H

#include "motion/kernels/samples.h"
#include "room/variant.h"

sac_filter_u8 sac_median5_u8_ref, sac_median5_u8_plain, sac_median5_u8_auto_v3,
    sac_median5_u8_auto_v4, sac_median5_u8_avx2, sac_median5_u8_avx512, sac_median5_u8_neon;

SAC_INTERNAL extern const sac_room sac_median5_u8_room;

#endif
