/*
 * Records of a group on a GPU (beamform/gpu_groups.h), gathered.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_GROUPS_CUDA_H
#define SAC_BEAMFORM_GROUPS_CUDA_H

#include "beamform/kernels/das/cuda/das_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sac_groups_cuda_job {
    void *out; /* (n_frames, n_tx, n_rx, n_samples), one behind the other */
    const void *in;
    sac_das_cuda_strides from; /* of the whole acquisition */
    const int32_t *which;      /* on the device: (n_tx) transmits, (n_rx) elements */
    int32_t n_frames, n_tx, n_rx;
    int64_t n_samples;
    int32_t size; /* of a sample: 2, 4 or 8 bytes */
} sac_groups_cuda_job;

/* Only enqueues. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_groups_cuda_gather(sac_gpu_stream stream,
                                                             const sac_groups_cuda_job *job);

#ifdef __cplusplus
}
#endif
#endif
