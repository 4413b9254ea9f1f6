/*
 * Launches, and what launchers ask the runtime, for a plain C++ compiler; a part of cuda_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATE_CUDA_LAUNCH_H
#define SAC_EMULATE_CUDA_LAUNCH_H

#include <tuple>

#include "emulated.h"

/* kernel<<<blocks, threads, bytes, stream>>>(..) is emulated(kernel, blocks, threads, bytes,
 * stream)(..). */
template <class... P> struct emulated_call {
    void (*kernel)(P...);
    dim3 grid, block;
    size_t shared_bytes;
    sac_gpu_stream stream;
    bool is_cooperative, is_early;

    struct bound {
        void (*kernel)(P...);
        std::tuple<P...> arguments;
    };
    static void run(const void *argument)
    {
        const bound *b = (const bound *)argument;
        std::apply(b->kernel, b->arguments);
    }
    static void release(const void *argument)
    {
        delete (const bound *)argument;
    }
    template <class... A> void operator()(A... arguments) const
    {
        const emulated_launch launch = {run,
                                        release,
                                        new bound{kernel, {arguments...}},
                                        {grid.x, grid.y, grid.z},
                                        {block.x, block.y, block.z},
                                        shared_bytes,
                                        is_cooperative,
                                        is_early,
                                        0};
        emulated_enqueue(stream, &launch);
    }
};

template <class... P>
static inline emulated_call<P...> emulated(void (*kernel)(P...), dim3 blocks, dim3 threads,
                                           size_t bytes, sac_gpu_stream stream)
{
    return {kernel, blocks, threads, bytes, stream, false, false};
}

/* What launchers ask the runtime. */
typedef int cudaError_t;
enum {
    cudaSuccess,
    cudaErrorMemoryAllocation,
    cudaErrorNotSupported,
    cudaErrorLaunchFailure,
    cudaErrorCooperativeLaunchTooLarge
};
enum { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaDevAttrMaxSharedMemoryPerBlockOptin };

struct cudaFuncAttributes {
    int ptxVersion, binaryVersion;
};

static inline cudaError_t cudaGetLastError()
{
    const sac_status status = emulated_launched();
    return status == SAC_OK        ? cudaSuccess
           : status == SAC_E_NOMEM ? cudaErrorMemoryAllocation
                                   : cudaErrorLaunchFailure;
}

static inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, int, int)
{
    *value = EMULATED_SHARED;
    return cudaSuccess;
}

template <class F> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *of, F *)
{
    of->ptxVersion = of->binaryVersion = __CUDA_ARCH__ / 10;
    return cudaSuccess;
}

/* Of a kernel of one argument. */
template <class P>
static inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P), dim3 blocks, dim3 threads,
                                                      void **arguments, size_t bytes,
                                                      sac_gpu_stream stream)
{
    emulated_call<P>{kernel, blocks, threads, bytes, stream, true, false}(*(const P *)arguments[0]);
    return cudaSuccess;
}

enum { cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int,
                                          sac_gpu_stream stream)
{
    return sac_gpu_copy(to, from, bytes, stream);
}

static inline cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes,
                                          sac_gpu_stream stream)
{
    return sac_gpu_set(memory, (uint8_t)value, bytes, stream);
}

static inline cudaError_t cudaStreamSynchronize(sac_gpu_stream stream)
{
    return sac_gpu_wait(stream);
}

/* There are no graphs: nothing is captured. */
typedef void *cudaGraph_t, *cudaGraphExec_t;
enum { cudaStreamCaptureModeThreadLocal };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone };

static inline cudaError_t cudaStreamIsCapturing(sac_gpu_stream, cudaStreamCaptureStatus *status)
{
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamBeginCapture(sac_gpu_stream, int)
{
    return cudaErrorNotSupported;
}

static inline cudaError_t cudaStreamEndCapture(sac_gpu_stream, cudaGraph_t *)
{
    return cudaErrorNotSupported;
}

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, int)
{
    return cudaErrorNotSupported;
}

static inline cudaError_t cudaGraphLaunch(cudaGraphExec_t, sac_gpu_stream)
{
    return cudaErrorNotSupported;
}

static inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t)
{
    return cudaSuccess;
}

static inline cudaError_t cudaGraphDestroy(cudaGraph_t)
{
    return cudaSuccess;
}

template <class F> static inline cudaError_t cudaFuncSetAttribute(F *, int, int)
{
    return cudaSuccess;
}

static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *, int,
                                                                        size_t)
{
    *n = 2;
    return cudaSuccess;
}

#endif
