/*
 * das_iq_f32 with vectors, for sets without a file of their own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_iq_f32.h"
#include "das_iq_f32_vectors.h"

void sac_das_iq_f32_simd(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
#if defined(__AVX2__)
    sum_points(out, das, first, n_points, sac_das_iq_f32_auto_v3);
#else
    sum_points(out, das, first, n_points, sac_das_iq_f32_precise);
#endif
}
