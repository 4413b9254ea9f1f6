/*
 * das_rf_f32: delay-and-sum of real samples in single precision; beamform/kernels/das_rf.h has the
 * contract.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_F32_H
#define SAC_BEAMFORM_DAS_RF_F32_H

#include "beamform/kernels/das_rf.h"

void sac_das_rf_f32_ref(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_f32_precise(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_f32_auto_v3(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_f32_auto_v4(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_f32_avx512(float *out, const sac_das *das, int64_t first, int32_t n_points);

/* libsaccade-ladder */
void sac_das_rf_f32_two_kernels(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_f32_fused_global(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_f32_fused_register(float *out, const sac_das *das, int64_t first, int32_t n_points);

SAC_INTERNAL extern const sac_room sac_das_rf_f32_room;

#endif
