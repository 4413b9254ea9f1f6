/*
 * das_rf_f32 as Jarosik, Lewandowski and Yiu (2023) build it up: two kernels, then one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das_rf_f32/das_rf_f32.h"
#include "beamform/kernels/das_rf_steps.h"

void sac_das_rf_f32_two_kernels(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_two_kernels(out, das, first, n_points, SAC_F32);
}

void sac_das_rf_f32_fused_global(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_fused(out, das, first, n_points, SAC_F32, false);
}

void sac_das_rf_f32_fused_register(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_fused(out, das, first, n_points, SAC_F32, true);
}
