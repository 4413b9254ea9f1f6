/*
 * clahe_u16: clahe_u8 in 16 bits, with the same contract.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CLAHE_U16_H
#define SAC_EQUALIZE_CLAHE_U16_H

#include "equalize/kernels/depths.h"

sac_clahe_function sac_clahe_u16_ref, sac_clahe_u16_plain, sac_clahe_u16_auto_v3,
    sac_clahe_u16_auto_v4, sac_clahe_u16_avx2, sac_clahe_u16_avx512, sac_clahe_u16_neon;

SAC_INTERNAL extern const sac_room sac_clahe_u16_room;

#endif
