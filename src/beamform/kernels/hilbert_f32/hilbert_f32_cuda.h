/*
 * hilbert_f32 on a GPU: the room's function with device memory, of n_images one after another.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_HILBERT_F32_CUDA_H
#define SAC_BEAMFORM_HILBERT_F32_CUDA_H

#include "hilbert_f32.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef sac_status sac_hilbert_f32_cuda_function(sac_gpu_stream stream, float *out,
                                                 ptrdiff_t out_row, const float *in,
                                                 ptrdiff_t in_row, int64_t w, int64_t n_rows,
                                                 const sac_hilbert *hilbert);
typedef sac_hilbert_f32_cuda_function *sac_hilbert_f32_cuda_fn;

SAC_INTERNAL sac_hilbert_f32_cuda_function sac_hilbert_f32_cuda_rows;

#ifdef __cplusplus
}
#endif
#endif
