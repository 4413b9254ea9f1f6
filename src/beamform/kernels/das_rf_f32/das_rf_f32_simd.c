/*
 * das_rf_f32 with vectors, for sets without a file of their own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_rf_f32.h"
#include "beamform/kernels/das/das_rf_simd.h"

void sac_das_rf_f32_simd(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_simd(out, das, first, n_points, SAC_F32);
}
