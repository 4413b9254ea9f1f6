/*
 * das_rf_i16 as Jarosik, Lewandowski and Yiu (2023) build it up: two kernels, then one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das_rf_i16/das_rf_i16.h"
#include "beamform/kernels/das_rf_steps.h"

void sac_das_rf_i16_two_kernels(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_two_kernels(out, das, first, n_points, SAC_I16);
}

void sac_das_rf_i16_fused_global(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_fused(out, das, first, n_points, SAC_I16, false);
}

void sac_das_rf_i16_fused_register(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_fused(out, das, first, n_points, SAC_I16, true);
}
