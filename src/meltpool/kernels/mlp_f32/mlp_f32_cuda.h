/*
 * mlp_f32 on a GPU: the network in device memory, and n frames at once.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_MLP_F32_CUDA_H
#define SAC_MELTPOOL_MLP_F32_CUDA_H

#include "room/variant_cuda.h"
#include "mlp_f32.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Hidden units side by side, filled up to whole warps with units of zeros. */
typedef struct sac_meltpool_net_cuda {
    int32_t n_units; /* a multiple of 32; 0: no network */
    bool is_softplus;
    float b2[SAC_MELTPOOL_PREDICTIONS];
    float *numbers;             /* owned device memory: all that follow, aligned to 128 bytes */
    const float *mean, *factor; /* (40); factor: 1 / scale */
    const float *w1;            /* (40, n_units) */
    const float *b1;            /* (n_units) */
    const float *w2;            /* (2, n_units) */
} sac_meltpool_net_cuda;

/* The network on the device. SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_meltpool_net_cuda_open(sac_meltpool_net_cuda *out,
                                                                 sac_gpu *gpu,
                                                                 const sac_meltpool_net *net,
                                                                 sac_error *err);
SAC_INTERNAL void sac_meltpool_net_cuda_close(sac_meltpool_net_cuda *net, sac_gpu *gpu);

/* out (n, 2), features (n, 40), contiguous in device memory. */
typedef sac_status (*sac_mlp_f32_cuda_fn)(sac_gpu_stream stream, float *out, const float *features,
                                          int64_t n, const sac_meltpool_net_cuda *net);

SAC_INTERNAL extern const sac_variant sac_mlp_f32_cuda[]; /* ends with NULL name */

#ifdef __cplusplus
}
#endif
#endif
