/*
 * demodulate_i16 in plain C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demodulate_i16.h"

#include "beamform/kernels/demodulate_inline.h"

void sac_demodulate_i16_plain(float *out, ptrdiff_t out_row, const int16_t *in, ptrdiff_t in_row,
                              ptrdiff_t in_sample, int64_t n_rows, const sac_demodulate_plan *plan)
{
    char *to = (char *)out;
    for (int64_t i = 0; i < n_rows; i++) {
        const sac_demodulate_record r = {(const char *)in + i * in_row, in_sample, true, plan};
        sac_demodulate_row((float *)(void *)(to + i * out_row), &r);
    }
}
