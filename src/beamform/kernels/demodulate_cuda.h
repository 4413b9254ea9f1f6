/*
 * Demodulation on a GPU as the harness calls it: the rooms' function with device memory, of records
 * one after another; and what the launchers share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DEMODULATE_CUDA_H
#define SAC_BEAMFORM_DEMODULATE_CUDA_H

#include "beamform/kernels/signal_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef sac_status sac_demodulate_cuda_function(sac_gpu_stream stream, float *out,
                                                ptrdiff_t out_row, const void *in, ptrdiff_t in_row,
                                                ptrdiff_t in_sample, int64_t n_rows,
                                                const sac_demodulate_cuda *plan);
typedef sac_demodulate_cuda_function *sac_demodulate_cuda_fn;

SAC_INTERNAL sac_demodulate_cuda_function sac_demodulate_i16_cuda, sac_demodulate_f32_cuda;

#ifdef __cplusplus
}
#endif
#endif
