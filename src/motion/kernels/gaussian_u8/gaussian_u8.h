/*
 * gaussian_u8: f->size x f->size samples, weighted, each channel separately.
 *
 *     out(x, y) = floor((sum of w_|i| w_|j| in(x + i, y + j) + 2^15) / 2^16)
 *
 * with the integers w = f->weight >= 0, w_0 + 2 w_1 + 2 w_2 = 256 (w_2 = 0 where size is 3), so
 * that the sum is that of 16-bit fractions and is rounded once. Layouts, borders and rows:
 * motion/kernels/samples.h. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_GAUSSIAN_U8_H
#define SAC_MOTION_GAUSSIAN_U8_H

#include "motion/kernels/samples.h"
#include "room/variant.h"

sac_filter_u8 sac_gaussian_u8_ref, sac_gaussian_u8_plain, sac_gaussian_u8_auto_v3,
    sac_gaussian_u8_auto_v4, sac_gaussian_u8_avx2, sac_gaussian_u8_avx512, sac_gaussian_u8_neon;

SAC_INTERNAL extern const sac_room sac_gaussian_u8_room;

#endif
