/*
 * What the CUDA rungs of mlp_f32 share: how they are launched, and the one in a file of
 * its own.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_MLP_F32_RUNGS_CUH
#define SAC_MELTPOOL_MLP_F32_RUNGS_CUH

#include "base/error.h"
#include "meltpool/kernels/mlp_f32/mlp_f32_cuda.h"

typedef void (*sac_meltpool_mlp_kernel)(float *out, const float *features, int64_t n,
                                        sac_meltpool_net_cuda net);

/* Blocks of `threads`, `wanted` threads in all. */
static inline sac_status sac_meltpool_mlp_launch(sac_meltpool_mlp_kernel kernel, unsigned threads,
                                                 int64_t wanted, sac_gpu_stream stream, float *out,
                                                 const float *features, int64_t n,
                                                 const sac_meltpool_net_cuda *net)
{
    const int64_t blocks = (wanted + threads - 1) / threads, most = INT64_C(1) << 30;
    if (blocks == 0)
        return SAC_OK;
    kernel<<<(unsigned)(blocks < most ? blocks : most), threads, 0, stream>>>(out, features, n,
                                                                              *net);
    return sac_cuda_launched();
}

SAC_INTERNAL sac_status sac_mlp_f32_tensor(sac_gpu_stream stream, float *out, const float *features,
                                           int64_t n, const sac_meltpool_net_cuda *net);

#endif
