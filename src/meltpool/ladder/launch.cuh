/*
 * Host side of the rungs: frames launched one by one, and the question whether all are done.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_LAUNCH_CUH
#define SAC_MELTPOOL_LADDER_LAUNCH_CUH

#include "meltpool/ladder/rung.cuh"

#ifndef SAC_RUNG_ROUND
#define SAC_RUNG_ROUND 64 /* frames launched without asking; whole batches */
#endif

enum {
    SAC_RUNG_SHARED = 44 * 1024, /* that a kernel may ask for besides a sac_rung_block, anywhere */
    SAC_RUNG_REGIONS = SAC_MELTPOOL_SECTORS /* blocks of Po */
};

static __global__ void sac_rung_start(const __grid_constant__ sac_rung_call c)
{
    sac_meltpool_begin(&c.turn->before.stream);
    c.turn->before.at = 0;
    c.gate[0] = c.gate[1] = 0;
}

/* Whether the stream only notes what is launched, for the ladder's report: then a frame's launches
 * are all that it is given, and nothing can be asked. */
static inline bool sac_rung_is_noted(sac_gpu_stream stream)
{
    cudaStreamCaptureStatus found = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &found) == cudaSuccess &&
           found != cudaStreamCaptureStatusNone;
}

static inline sac_status sac_rung_reset(sac_gpu_stream stream, const sac_rung_call *call)
{
    if (sac_rung_is_noted(stream))
        return SAC_OK;
    sac_rung_start<<<1, 1, 0, stream>>>(*call);
    return sac_cuda_launched();
}

/* A block's shared memory besides its sac_rung_block. */
static inline uint32_t sac_rung_shared(const sac_rung_call *call)
{
    return sac_rung_bytes(call->places.roi, call->net.n_units);
}

/* Lets a kernel have more shared memory than any GPU has, where this one does. */
template <typename Kernel> static inline sac_status sac_rung_allow(Kernel *kernel, uint32_t bytes)
{
    if (bytes <= SAC_RUNG_SHARED ||
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) ==
            cudaSuccess)
        return SAC_OK;
    (void)cudaGetLastError();
    return SAC_E_UNSUPPORTED;
}

/* A kernel of one-dimensional blocks of SAC_RUNG_TEAM threads. */
static inline sac_status sac_rung_launch(void (*kernel)(sac_rung_call), unsigned blocks,
                                         sac_gpu_stream stream, const sac_rung_call *call)
{
    const uint32_t bytes = sac_rung_shared(call);
    const sac_status status = sac_rung_allow(kernel, bytes);
    if (status)
        return status;
    kernel<<<blocks, SAC_RUNG_TEAM, bytes, stream>>>(*call);
    return sac_cuda_launched();
}

/* A word of device memory, here. Waits for the stream. */
static inline sac_status sac_rung_ask(int64_t *word, sac_gpu_stream stream,
                                      const sac_rung_call *call, const void *from, size_t bytes)
{
    *call->here = 0;
    if (cudaMemcpyAsync(call->here, from, bytes, cudaMemcpyDeviceToHost, stream) != cudaSuccess ||
        cudaStreamSynchronize(stream) != cudaSuccess)
        return SAC_E_DEVICE;
    *word = *call->here;
    return SAC_OK;
}

/* All frames, of which `frame` launches the next one's kernels: `round` of them launched, then the
 * device is asked how far the stream is. */
static inline sac_status sac_rung_run(sac_gpu_stream stream, const sac_rung_call *call,
                                      sac_rung_fn frame, int32_t round)
{
    int64_t at = 0;
    if (sac_rung_is_noted(stream))
        return frame(stream, call);
    sac_status status = sac_rung_reset(stream, call);
    while (status == SAC_OK && at < call->n) {
        for (int32_t i = 0; i < round && status == SAC_OK; i++)
            status = frame(stream, call);
        if (status == SAC_OK)
            status = sac_rung_ask(&at, stream, call, &call->turn->before.at, sizeof at);
    }
    return status;
}

#endif
