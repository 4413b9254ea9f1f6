/*
 * sum on a GPU: the CPU function's arguments, with memory there, and what `1d-recursive` keeps its
 * block sums in. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_SUM_CUDA_H
#define SAC_BEAMFORM_SUM_CUDA_H

#include "beamform/kernels/sum/sum.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* scratch (sac_sum_scratch(job->n)): written before it is read; NULL where that is 0. */
typedef sac_status (*sac_sum_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                      const sac_sum_job *job, float *scratch);

/* Block sums of n values, and of those, and so on, but for the last. */
static inline int64_t sac_sum_scratch(int64_t n)
{
    int64_t all = 0;
    for (; n > SAC_SUM_BLOCK; all += n)
        n = (n + SAC_SUM_BLOCK - 1) / SAC_SUM_BLOCK;
    return all;
}

#if SAC_CUDA || defined(__CUDACC__)
extern const sac_variant sac_sum_cuda[];
#else
#define sac_sum_cuda NULL
#endif

#ifdef __cplusplus
}
#endif
#endif
