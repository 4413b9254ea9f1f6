/*
 * demodulate_i16: RF records of int16 to IQ. Contract, plan and tolerance are in
 * beamform/kernels/demodulate.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DEMODULATE_I16_H
#define SAC_BEAMFORM_DEMODULATE_I16_H

#include "beamform/kernels/demodulate.h"
#include "room/variant.h"

typedef void (*sac_demodulate_i16_fn)(float *out, ptrdiff_t out_row, const int16_t *in,
                                      ptrdiff_t in_row, ptrdiff_t in_sample, int64_t n_rows,
                                      const sac_demodulate_plan *plan);

void sac_demodulate_i16_ref(float *out, ptrdiff_t out_row, const int16_t *in, ptrdiff_t in_row,
                            ptrdiff_t in_sample, int64_t n_rows, const sac_demodulate_plan *plan);
void sac_demodulate_i16_plain(float *out, ptrdiff_t out_row, const int16_t *in, ptrdiff_t in_row,
                              ptrdiff_t in_sample, int64_t n_rows, const sac_demodulate_plan *plan);
void sac_demodulate_i16_auto_v3(float *out, ptrdiff_t out_row, const int16_t *in, ptrdiff_t in_row,
                                ptrdiff_t in_sample, int64_t n_rows,
                                const sac_demodulate_plan *plan);
void sac_demodulate_i16_auto_v4(float *out, ptrdiff_t out_row, const int16_t *in, ptrdiff_t in_row,
                                ptrdiff_t in_sample, int64_t n_rows,
                                const sac_demodulate_plan *plan);

SAC_INTERNAL extern const sac_room sac_demodulate_i16_room;

#endif
