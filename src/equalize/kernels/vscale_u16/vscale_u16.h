/*
 * vscale_u16: vscale_u8 in 16 bits, with the same contract. The scale's q16 holds for every V that
 * occurs.
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
