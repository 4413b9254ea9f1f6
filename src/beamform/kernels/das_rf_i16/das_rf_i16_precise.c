/*
 * das_rf_i16 in plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_rf_i16.h"
#include "beamform/kernels/das/das_rf_inline.h"

void sac_das_rf_i16_precise(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_rf_precise(out, das, first, n_points, SAC_I16);
}
