/*
 * das_rf_i16: delay-and-sum of real 16-bit samples; beamform/kernels/das/das_rf.h has the contract.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_I16_H
#define SAC_BEAMFORM_DAS_RF_I16_H

#include "beamform/kernels/das/das_rf.h"

sac_das_function sac_das_rf_i16_ref, sac_das_rf_i16_precise, sac_das_rf_i16_auto_v3,
    sac_das_rf_i16_auto_v4, sac_das_rf_i16_avx2, sac_das_rf_i16_avx512, sac_das_rf_i16_neon;

/* libsaccade-ladder */
sac_das_function sac_das_rf_i16_two_kernels, sac_das_rf_i16_fused_global,
    sac_das_rf_i16_fused_register;

SAC_INTERNAL extern const sac_room sac_das_rf_i16_room;

#endif
