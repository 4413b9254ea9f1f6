/*
 * adjust_u8: gain, contrast, brightness and saturation of a picture as one mix of each color with
 * the pixel's luma.
 *
 *     Y  = 38 R + 75 G + 15 B                     the luma, in 128ths: BT.601's weights
 *     c' = floor((128 p c + q Y + 2^(shift + 2) o) / 2^(shift + 7)), to the range of 0 to 255
 *
 * for each color c of (R, G, B). Of a gray picture Y is 128 v, so v' is floor(((p + q) v +
 * 2^(shift - 5) o) / 2^shift). Alpha is copied where both have it.
 *
 * out, in: the same size and number of colors; any layout and strides; color[0], [1], [2] are R, G
 * and B. out may be in itself, and overlaps nothing otherwise. |p|, |q|, |p + q|, |o| up to 32767,
 * shift 6 to 13, |p 128 c + q Y| up to 2^30 for all colors: the sum fits 32 bits. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_ADJUST_U8_H
#define SAC_MOTION_ADJUST_U8_H

#include "image/pixels.h"
#include "motion/kernels/adjust_mix.h"
#include "room/variant.h"

typedef void sac_adjust_u8(const sac_pixels *out, const sac_pixels *in, const sac_adjust_mix *mix);
typedef sac_adjust_u8 *sac_adjust_u8_fn;

sac_adjust_u8 sac_adjust_u8_ref, sac_adjust_u8_plain, sac_adjust_u8_auto_v3, sac_adjust_u8_auto_v4,
    sac_adjust_u8_avx2, sac_adjust_u8_avx512, sac_adjust_u8_neon;

SAC_INTERNAL extern const sac_room sac_adjust_u8_room;

#endif
