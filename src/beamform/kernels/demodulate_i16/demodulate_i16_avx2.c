/*
 * demodulate_i16 for AVX2.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demodulate_i16.h"

#include "simd/floats.h"

#include "beamform/kernels/demodulate_inline.h"

void sac_demodulate_i16_avx2(float *out, ptrdiff_t out_row, const void *in, ptrdiff_t in_row,
                             ptrdiff_t in_sample, int64_t n_rows, const sac_demodulate_plan *plan)
{
    sac_demodulate_rows(out, out_row, in, in_row, in_sample, true, n_rows, plan);
}
