/*
 * vhist_u16: vhist_u8 in 16 bits, with the same contract: hist is (65536), 262,144 bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_VHIST_U16_H
#define SAC_EQUALIZE_VHIST_U16_H

#include "equalize/kernels/depths.h"

sac_vhist_function sac_vhist_u16_ref, sac_vhist_u16_plain, sac_vhist_u16_auto_v3,
    sac_vhist_u16_auto_v4, sac_vhist_u16_avx2, sac_vhist_u16_avx512, sac_vhist_u16_neon;

SAC_INTERNAL extern const sac_room sac_vhist_u16_room;

#endif
