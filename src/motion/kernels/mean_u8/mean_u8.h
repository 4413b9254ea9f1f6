/*
 * mean_u8: the mean of f->size x f->size samples, each channel separately.
 *
 *     out(x, y) = floor(sum of in(x + i, y + j) / n + 1/2), n = size^2 (9 or 25)
 *
 * Layouts, borders and rows: motion/kernels/samples.h. n is odd, so no sum lies halfway. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_MEAN_U8_H
#define SAC_MOTION_MEAN_U8_H

#include "motion/kernels/samples.h"
#include "room/variant.h"

sac_filter_u8 sac_mean_u8_ref, sac_mean_u8_plain, sac_mean_u8_auto_v3, sac_mean_u8_auto_v4,
    sac_mean_u8_avx2, sac_mean_u8_avx512, sac_mean_u8_neon;

SAC_INTERNAL extern const sac_room sac_mean_u8_room;

#endif
