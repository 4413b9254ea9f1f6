/*
 * das_iq_f32: the reference, and the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_iq_f32.h"

void sac_das_iq_f32_ref(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_das_ref(out, das, first, n_points, SAC_F32, 2);
}

#define ROOM "das_iq_f32"
#define NAME(of) sac_das_iq_f32_##of
#define SIMD_TIER SAC_TIER_FP32
#include "beamform/kernels/das/das_table.h"
