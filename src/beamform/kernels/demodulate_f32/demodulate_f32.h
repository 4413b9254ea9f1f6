/*
 * demodulate_f32: RF records of float32 to IQ. Contract, plan and tolerance are in
 * beamform/kernels/demodulate.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DEMODULATE_F32_H
#define SAC_BEAMFORM_DEMODULATE_F32_H

#include "beamform/kernels/demodulate.h"
#include "room/variant.h"

typedef void (*sac_demodulate_f32_fn)(float *out, ptrdiff_t out_row, const float *in,
                                      ptrdiff_t in_row, ptrdiff_t in_sample, int64_t n_rows,
                                      const sac_demodulate_plan *plan);

void sac_demodulate_f32_ref(float *out, ptrdiff_t out_row, const float *in, ptrdiff_t in_row,
                            ptrdiff_t in_sample, int64_t n_rows, const sac_demodulate_plan *plan);
void sac_demodulate_f32_plain(float *out, ptrdiff_t out_row, const float *in, ptrdiff_t in_row,
                              ptrdiff_t in_sample, int64_t n_rows, const sac_demodulate_plan *plan);
void sac_demodulate_f32_auto_v3(float *out, ptrdiff_t out_row, const float *in, ptrdiff_t in_row,
                                ptrdiff_t in_sample, int64_t n_rows,
                                const sac_demodulate_plan *plan);
void sac_demodulate_f32_auto_v4(float *out, ptrdiff_t out_row, const float *in, ptrdiff_t in_row,
                                ptrdiff_t in_sample, int64_t n_rows,
                                const sac_demodulate_plan *plan);

SAC_INTERNAL extern const sac_room sac_demodulate_f32_room;

#endif
