/*
 * das_iq_f32 with AVX-512.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_iq_f32.h"
#include "das_iq_f32_vectors.h"

void sac_das_iq_f32_avx512(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sum_points(out, das, first, n_points, sac_das_iq_f32_auto_v4);
}
