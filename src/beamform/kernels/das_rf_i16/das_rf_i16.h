/*
 * das_rf_i16: delay-and-sum of real 16-bit samples; beamform/kernels/das_rf.h has the contract.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_I16_H
#define SAC_BEAMFORM_DAS_RF_I16_H

#include "beamform/kernels/das_rf.h"

void sac_das_rf_i16_ref(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_i16_precise(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_i16_auto_v3(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_i16_auto_v4(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_i16_avx512(float *out, const sac_das *das, int64_t first, int32_t n_points);

/* libsaccade-ladder */
void sac_das_rf_i16_two_kernels(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_i16_fused_global(float *out, const sac_das *das, int64_t first, int32_t n_points);
void sac_das_rf_i16_fused_register(float *out, const sac_das *das, int64_t first, int32_t n_points);

SAC_INTERNAL extern const sac_room sac_das_rf_i16_room;

#endif
