/*
 * What became of a launch, for .cu files.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_LAUNCHED_H
#define SAC_GPU_LAUNCHED_H

#include "gpu/gpu.h"

#ifdef __CUDACC__
/* The status of the launch just made. */
static inline sac_status sac_cuda_launched(void)
{
    cudaError_t error = cudaGetLastError();
    return error == cudaSuccess                 ? SAC_OK
           : error == cudaErrorMemoryAllocation ? SAC_E_NOMEM
                                                : SAC_E_DEVICE;
}
#endif

#endif
