/*
 * vhist_u8: the histogram of V = max(R, G, B), or of the gray value, of an 8-bit region.
 *
 *     hist[i] = number of pixels with V = i, i = 0..255
 *
 * hist: (256), overwritten. in: any layout and strides, w h < 2^32; alpha is not read. Reads each
 * sample once, writes 1,024 bytes. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VHIST_U8_H
#define SAC_EQUALIZE_VHIST_U8_H

#include "equalize/kernels/depths.h"

sac_vhist_function sac_vhist_u8_ref, sac_vhist_u8_plain, sac_vhist_u8_auto_v3, sac_vhist_u8_auto_v4,
    sac_vhist_u8_avx2, sac_vhist_u8_avx512, sac_vhist_u8_neon;

/* libsaccade-ladder */
sac_vhist_function sac_vhist_u8_single, sac_vhist_u8_avx512_tables, sac_vhist_u8_pairs;

SAC_INTERNAL extern const sac_room sac_vhist_u8_room;

#endif
