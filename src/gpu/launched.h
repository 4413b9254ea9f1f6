/*
 * CUDA rungs of a room: a table beside the CPU's, with launchers that take device memory and a
 * stream.
 *
 * A room's <room>_cuda.h gives the launcher's type: the CPU function's arguments with device
 * pointers, behind a stream and a shape, and a status: SAC_OK, or what the runtime said of the
 * launch. A launcher only enqueues: it allocates nothing and waits for nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_LAUNCHED_H
#define SAC_GPU_LAUNCHED_H

#include "gpu/gpu.h"
#include "room/variant.h"

/* In .cu files only: the status of the launch just made. */
#ifdef __CUDACC__
static inline sac_status sac_cuda_launched(void)
{
    cudaError_t error = cudaGetLastError();
    return error == cudaSuccess                 ? SAC_OK
           : error == cudaErrorMemoryAllocation ? SAC_E_NOMEM
                                                : SAC_E_DEVICE;
}
#endif

#endif
