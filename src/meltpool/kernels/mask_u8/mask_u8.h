/*
 * mask_u8: the bright pixels of a frame's ROI, a bit each.
 *
 *     bits->row[y][x / 64] has bit x % 64 where I(x, y) >= threshold
 *
 * bits (n, 2), both words of each row are written; bits from n on are 0. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_MASK_U8_H
#define SAC_MELTPOOL_MASK_U8_H

#include "meltpool/kernels/frame.h"
#include "room/variant.h"

typedef void sac_mask_u8_function(sac_meltpool_bits *bits, const sac_meltpool_frame_job *job);
typedef sac_mask_u8_function *sac_mask_u8_fn;

sac_mask_u8_function sac_mask_u8_ref, sac_mask_u8_plain, sac_mask_u8_avx2, sac_mask_u8_avx512,
    sac_mask_u8_neon;

SAC_INTERNAL extern const sac_room sac_mask_u8_room;

#endif
