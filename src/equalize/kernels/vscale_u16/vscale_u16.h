/*
 * vscale_u16: every pixel's colors times s(bin(V)) M / V, V = max(R, G, B), in 16 bits: the second
 * pass of an equalization.
 *
 *     R' = floor(M s(bin(V)) R / V + 1/2), the same for G and B; V = 0 stays; alpha is copied
 *
 * out, in: the same size and number of colors, any layout and strides, both with alpha or both
 * without; the same memory, or no overlap. The scale's q16 holds for every V that occurs. Reads and
 * writes each sample once. Exact.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VSCALE_U16_H
#define SAC_EQUALIZE_VSCALE_U16_H

#include "image/pixels.h"
#include "equalize/kernels/scale.h"
#include "room/variant.h"

typedef void sac_vscale_u16(const sac_pixels *out, const sac_pixels *in, const sac_scale *s);
typedef sac_vscale_u16 *sac_vscale_u16_fn;

sac_vscale_u16 sac_vscale_u16_ref, sac_vscale_u16_plain, sac_vscale_u16_auto_v3,
    sac_vscale_u16_auto_v4;

SAC_INTERNAL extern const sac_room sac_vscale_u16_room;

#endif
