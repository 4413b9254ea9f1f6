/*
 * das_rf_i16: the reference, and the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_rf_i16.h"

void sac_das_rf_i16_ref(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_das_ref(out, das, first, n_points, SAC_I16, 1);
}

#define ROOM "das_rf_i16"
#define NAME(of) sac_das_rf_i16_##of
#define SIMD_TIER SAC_TIER_EXACT
#include "beamform/kernels/das/das_table.h"
