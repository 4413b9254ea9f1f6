/*
 * The kernel that reads shared memory, for its bandwidth.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_SHARED_BANDWIDTH_H
#define SAC_GPU_SHARED_BANDWIDTH_H

#include "gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that a launch writes to `out`, and bytes of shared memory that it reads. */
size_t sac_gpu_shared_out(int32_t n_multiprocessors);
double sac_gpu_shared_bytes(int32_t n_multiprocessors);

/* Some milliseconds of reads on all multiprocessors. SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_gpu_read_shared(void *out, int32_t n_multiprocessors,
                                             sac_gpu_stream stream);

#ifdef __cplusplus
}
#endif

#endif
