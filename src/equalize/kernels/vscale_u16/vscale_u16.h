/*
 * vscale_u16: vscale_u8 in 16 bits, with the same contract. The scale's q16 has a multiplier or a
 * ceiling for every V that occurs (sac_scale_u16); CUDA's rungs take multipliers alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VSCALE_U16_H
#define SAC_EQUALIZE_VSCALE_U16_H

#include "equalize/kernels/depths.h"

sac_vscale_function sac_vscale_u16_ref, sac_vscale_u16_plain, sac_vscale_u16_auto_v3,
    sac_vscale_u16_auto_v4, sac_vscale_u16_avx2, sac_vscale_u16_avx512, sac_vscale_u16_neon;

SAC_INTERNAL extern const sac_room sac_vscale_u16_room;

#endif
