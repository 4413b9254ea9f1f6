/*
 * sum on a GPU: the CPU function's arguments, with memory there. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_SUM_CUDA_H
#define SAC_BEAMFORM_SUM_CUDA_H

#include "beamform/kernels/sum/sum.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef sac_status (*sac_sum_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                      const sac_sum_job *job);

#if SAC_CUDA
extern const sac_variant sac_sum_cuda[];
#else
#define sac_sum_cuda NULL
#endif

#ifdef __cplusplus
}
#endif
#endif
