/*
 * das_rf_f32: delay-and-sum of real samples in single precision; beamform/kernels/das/das_rf.h has
 * the contract.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_F32_H
#define SAC_BEAMFORM_DAS_RF_F32_H

#include "beamform/kernels/das/das_rf.h"

sac_das_function sac_das_rf_f32_ref, sac_das_rf_f32_precise, sac_das_rf_f32_auto_v3,
    sac_das_rf_f32_auto_v4, sac_das_rf_f32_avx2, sac_das_rf_f32_avx512, sac_das_rf_f32_neon;

/* libsaccade-ladder */
sac_das_function sac_das_rf_f32_two_kernels, sac_das_rf_f32_fused_global,
    sac_das_rf_f32_fused_register;

SAC_INTERNAL extern const sac_room sac_das_rf_f32_room;

#endif
