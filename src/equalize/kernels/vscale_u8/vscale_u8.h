/*
 * vscale_u8: every pixel's colors times s(bin(V)) M / V, V = max(R, G, B), in 8 bits: the second
 * pass of an equalization.
 *
 *     R' = floor(M s(bin(V)) R / V + 1/2), the same for G and B; V = 0 stays; alpha is copied
 *
 * out, in: the same size and number of colors, any layout and strides, both with alpha or both
 * without; the same memory, or no overlap. The scale's q8 holds for every V that occurs. Reads and
 * writes each sample once. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VSCALE_U8_H
#define SAC_EQUALIZE_VSCALE_U8_H

#include "equalize/kernels/depths.h"

sac_vscale_function sac_vscale_u8_ref, sac_vscale_u8_plain, sac_vscale_u8_auto_v3,
    sac_vscale_u8_auto_v4, sac_vscale_u8_avx2, sac_vscale_u8_avx512, sac_vscale_u8_neon;

SAC_INTERNAL extern const sac_room sac_vscale_u8_room;

#endif
