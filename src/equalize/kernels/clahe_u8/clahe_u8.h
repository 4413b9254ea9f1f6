/*
 * clahe_u8: every pixel's colors times G / V, where G = M s of its own place, between four tiles; 8
 * bits.
 *
 *     G = sac_clahe_mix of the four tiles' level[bin(V)] at sac_clahe_at(x), sac_clahe_at(y0 + y)
 *     R' = floor((G R + 2^15 V) / (2^16 V)), the same for G and B; V = 0 stays; alpha is copied
 *
 * out, in: rows y0, y0 + 1, ... of a picture of c->w x c->h, any layout and strides, both with
 * alpha or both without; the same memory, or no overlap. Exact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CLAHE_U8_H
#define SAC_EQUALIZE_CLAHE_U8_H

#include "equalize/kernels/depths.h"

sac_clahe_function sac_clahe_u8_ref, sac_clahe_u8_plain, sac_clahe_u8_auto_v3, sac_clahe_u8_auto_v4,
    sac_clahe_u8_avx2, sac_clahe_u8_avx512, sac_clahe_u8_neon;

SAC_INTERNAL extern const sac_room sac_clahe_u8_room;

#endif
