/*
 * Kernels that follow each other closely: the next one's blocks come to the device while the last
 * ones of the one before still work, and wait there, which hides what a launch takes (1 to 2 us).
 * From compute capability 9.0 on; elsewhere a launch like any other. tests/emulate/gpu/early.cuh is
 * the same for kernels that run on the CPU there.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_EARLY_CUH
#define SAC_GPU_EARLY_CUH

#include "gpu/launched.h"

/* Of such a kernel: before it touches memory that the stream's earlier work may write or read. */
__device__ static inline void sac_wait_for_stream()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Of any kernel: the stream's next one may send its blocks, once all blocks have said so or ended.
 */
__device__ static inline void sac_let_next_begin()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

static inline bool sac_can_begin_early()
{
    int device, major;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
               cudaSuccess &&
           major >= 9;
}

/* The kernel must call sac_wait_for_stream(). */
template <typename... Wanted, typename... Given>
static inline sac_status sac_launch_early(sac_gpu_stream stream, dim3 grid, unsigned threads,
                                          void (*kernel)(Wanted...), Given... given)
{
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = sac_can_begin_early() ? 1 : 0;
    (void)cudaLaunchKernelEx(&config, kernel, given...);
    return sac_cuda_launched();
}

#endif
