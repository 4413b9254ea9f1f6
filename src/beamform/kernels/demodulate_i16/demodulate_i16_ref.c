/*
 * demodulate_i16, the specification: the sum as it is written, in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demodulate_i16.h"

void sac_demodulate_i16_ref(float *out, ptrdiff_t out_row, const void *in, ptrdiff_t in_row,
                            ptrdiff_t in_sample, int64_t n_rows, const sac_demodulate_plan *plan)
{
    for (int64_t i = 0; i < n_rows; i++)
        sac_demodulate_exact((float *)(void *)((char *)out + i * out_row),
                             (const char *)in + i * in_row, in_sample, true, plan);
}
