/*
 * What the files of src/gpu share: the plan's device, and what the runtime's errors become. The
 * only header that includes CUDA's.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_RUNTIME_H
#define SAC_GPU_RUNTIME_H

#include <cuda_runtime_api.h>
#include <cudaTypedefs.h>

#include "gpu/gpu.h"

/* The driver's functions come from the driver that is there, as the runtime's own do. */
struct sac_gpu {
    int32_t index, n_multiprocessors;
    CUdevice device;
    CUcontext context; /* the device's primary one, which the runtime uses, too; retained */
    PFN_cuCtxPushCurrent_v4000 push;
    PFN_cuCtxPopCurrent_v4000 pop;
    PFN_cuDevicePrimaryCtxRelease_v11000 release;
    cudaStream_t main, copy, back;
};

/*
 * What a call of the runtime came to. The runtime keeps the error for the next who asks: it is
 * taken away here, so that the caller's own CUDA code does not find it.
 */
static inline sac_status sac_gpu_status(cudaError_t error)
{
    if (error == cudaSuccess)
        return SAC_OK;
    (void)cudaGetLastError();
    return error == cudaErrorMemoryAllocation ? SAC_E_NOMEM : SAC_E_DEVICE;
}

/* The same with text: "device: cuda:0: cudaMalloc: out of memory". */
static inline sac_status sac_gpu_explain(cudaError_t error, const char *call, int32_t index,
                                         sac_error *err)
{
    sac_status status = sac_gpu_status(error);
    return status ? sac_fail(err, status, "device: cuda:%d: %s: %s", index, call,
                             cudaGetErrorString(error))
                  : SAC_OK;
}

/* A call in set-up: its status, its name and the runtime's words in *err. */
#define SAC_CUDA_CALL(index, err, function, ...)                                                   \
    sac_gpu_explain(function(__VA_ARGS__), #function, index, err)

/* SAC_OK where this machine has GPU `index`; else one line that says what is missing. */
SAC_NODISCARD sac_status sac_gpu_find(int32_t index, sac_error *err);

#endif
