/*
 * A plan's device: opening it, its streams, events and graphs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "base/clock.h"
#include "gpu/runtime.h"

sac_status sac_gpu_enter(const sac_gpu *gpu)
{
    return sac_gpu_status((cudaError_t)gpu->push(gpu->context));
}

void sac_gpu_leave(const sac_gpu *gpu)
{
    CUcontext ours;
    (void)gpu->pop(&ours);
}

/* A function of the driver, as of CUDA `version` (12000 is 12.0). */
static sac_status find(void **function, const char *name, unsigned version, int32_t index,
                       sac_error *err)
{
    enum cudaDriverEntryPointQueryResult found;
    const unsigned long long flags = cudaEnableDefault;
#if CUDART_VERSION >= 12050
    sac_status status = SAC_CUDA_CALL(index, err, cudaGetDriverEntryPointByVersion, name, function,
                                      version, flags, &found);
#else
    (void)version; /* that of the runtime, which has the same types */
    sac_status status =
        SAC_CUDA_CALL(index, err, cudaGetDriverEntryPoint, name, function, flags, &found);
#endif
    if (status == SAC_OK && found != cudaDriverEntryPointSuccess)
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d: the driver has no %s", index, name);
    return status;
}

/*
 * The device's primary context. The runtime makes it, and keeps it when the last plan has gone, so
 * that the next need not load all kernels again.
 */
static sac_status open_context(sac_gpu *gpu, sac_error *err)
{
    PFN_cuDeviceGet_v2000 get = NULL;
    PFN_cuDevicePrimaryCtxRetain_v7000 retain = NULL;
    const struct {
        const char *name;
        void *function;
        unsigned version;
    } needed[] = {
        {"cuDeviceGet", &get, 2000},
        {"cuDevicePrimaryCtxRetain", &retain, 7000},
        {"cuDevicePrimaryCtxRelease", &gpu->release, 11000},
        {"cuCtxPushCurrent", &gpu->push, 4000},
        {"cuCtxPopCurrent", &gpu->pop, 4000},
    };
    sac_status status = SAC_CUDA_CALL(gpu->index, err, cudaInitDevice, gpu->index, 0, 0);
    for (size_t i = 0; i < sizeof needed / sizeof needed[0] && status == SAC_OK; i++)
        status = find(needed[i].function, needed[i].name, needed[i].version, gpu->index, err);
    if (status)
        return status;
    CUresult result = get(&gpu->device, gpu->index);
    if (result == CUDA_SUCCESS)
        result = retain(&gpu->context, gpu->device);
    return sac_gpu_explain((cudaError_t)result, "cuDevicePrimaryCtxRetain", gpu->index, err);
}

static sac_status open_streams(sac_gpu *gpu, sac_error *err)
{
    int n = 0;
    /* Not ordered behind the legacy default stream, which other code of the process may use. */
    const unsigned flags = cudaStreamNonBlocking;
    sac_status status = SAC_CUDA_CALL(gpu->index, err, cudaDeviceGetAttribute, &n,
                                      cudaDevAttrMultiProcessorCount, gpu->index);
    if (status == SAC_OK)
        status = SAC_CUDA_CALL(gpu->index, err, cudaStreamCreateWithFlags, &gpu->main, flags);
    if (status == SAC_OK)
        status = SAC_CUDA_CALL(gpu->index, err, cudaStreamCreateWithFlags, &gpu->copy, flags);
    if (status == SAC_OK)
        status = SAC_CUDA_CALL(gpu->index, err, cudaStreamCreateWithFlags, &gpu->back, flags);
    gpu->n_multiprocessors = n;
    return status;
}

sac_status sac_gpu_open(sac_gpu **out, int32_t index, sac_error *err)
{
    *out = NULL;
    sac_status status = sac_gpu_find(index, err);
    if (status)
        return status;
    sac_gpu *gpu = sac_alloc(1, sizeof *gpu);
    if (!gpu)
        return sac_fail(err, SAC_E_NOMEM, "device: no memory for cuda:%d", index);
    gpu->index = index;
    status = open_context(gpu, err);
    if (status == SAC_OK && sac_gpu_enter(gpu) != SAC_OK)
        status = sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", index);
    else if (status == SAC_OK) {
        status = open_streams(gpu, err);
        sac_gpu_leave(gpu);
    }
    if (status)
        sac_gpu_close(&gpu);
    *out = gpu;
    return status;
}

void sac_gpu_close(sac_gpu **out)
{
    if (!out || !*out)
        return;
    sac_gpu *gpu = *out;
    cudaStream_t streams[] = {gpu->main, gpu->copy, gpu->back};
    if (gpu->context && sac_gpu_enter(gpu) == SAC_OK) {
        for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
            if (streams[i])
                (void)sac_gpu_status(cudaStreamDestroy(streams[i]));
        sac_gpu_leave(gpu);
    }
    if (gpu->context)
        (void)gpu->release(gpu->device);
    sac_free(gpu);
    *out = NULL;
}

int32_t sac_gpu_index(const sac_gpu *gpu)
{
    return gpu->index;
}

sac_gpu_stream sac_gpu_main_stream(const sac_gpu *gpu)
{
    return gpu->main;
}

sac_gpu_stream sac_gpu_copy_stream(const sac_gpu *gpu)
{
    return gpu->copy;
}

sac_gpu_stream sac_gpu_back_stream(const sac_gpu *gpu)
{
    return gpu->back;
}

int32_t sac_gpu_multiprocessors(const sac_gpu *gpu)
{
    return gpu->n_multiprocessors;
}

sac_status sac_gpu_wait(sac_gpu_stream stream)
{
    return sac_gpu_status(cudaStreamSynchronize(stream));
}

bool sac_gpu_is_idle(sac_gpu_stream stream)
{
    const cudaError_t found = cudaStreamQuery(stream);
    (void)sac_gpu_status(found);
    return found != cudaErrorNotReady;
}

static sac_status open_event(sac_gpu *gpu, sac_gpu_event *event, unsigned flags)
{
    *event = NULL;
    sac_status status = sac_gpu_enter(gpu);
    if (status)
        return status;
    status = sac_gpu_status(cudaEventCreateWithFlags(event, flags));
    sac_gpu_leave(gpu);
    return status;
}

sac_status sac_gpu_event_open(sac_gpu *gpu, sac_gpu_event *event)
{
    return open_event(gpu, event, cudaEventDefault);
}

sac_status sac_gpu_event_open_untimed(sac_gpu *gpu, sac_gpu_event *event)
{
    return open_event(gpu, event, cudaEventDisableTiming);
}

void sac_gpu_event_close(sac_gpu_event *event)
{
    if (*event)
        (void)sac_gpu_status(cudaEventDestroy(*event));
    *event = NULL;
}

sac_status sac_gpu_event_record(sac_gpu_event event, sac_gpu_stream stream)
{
    return sac_gpu_status(cudaEventRecord(event, stream));
}

sac_status sac_gpu_event_wait(sac_gpu_event event, sac_gpu_stream stream)
{
    return sac_gpu_status(cudaStreamWaitEvent(stream, event, 0));
}

sac_status sac_gpu_event_sync(sac_gpu_event event)
{
    return sac_gpu_status(cudaEventSynchronize(event));
}

sac_status sac_gpu_event_sync_until(bool *came, sac_gpu_event event, int64_t deadline_ns)
{
    cudaError_t error;
    do
        error = cudaEventQuery(event);
    while (error == cudaErrorNotReady && sac_clock_ns() < deadline_ns);
    *came = error != cudaErrorNotReady;
    const sac_status status = sac_gpu_status(error); /* takes "not ready" away, too */
    return *came ? status : SAC_OK;
}

sac_status sac_gpu_event_elapsed(double *ns, sac_gpu_event from, sac_gpu_event to)
{
    float ms = 0;
    sac_status status = sac_gpu_event_sync(to);
    if (status == SAC_OK)
        status = sac_gpu_status(cudaEventElapsedTime(&ms, from, to));
    *ns = (double)ms * 1e6;
    return status;
}

sac_status sac_gpu_graph_begin(sac_gpu_stream stream)
{
    return sac_gpu_status(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

sac_status sac_gpu_graph_end(sac_gpu_graph *graph, sac_gpu_stream stream)
{
    cudaGraph_t captured = NULL;
    *graph = NULL;
    sac_status status = sac_gpu_status(cudaStreamEndCapture(stream, &captured));
    if (status == SAC_OK)
        status = sac_gpu_status(cudaGraphInstantiateWithFlags(graph, captured, 0));
    if (captured)
        (void)sac_gpu_status(cudaGraphDestroy(captured));
    return status;
}

sac_status sac_gpu_graph_launch(sac_gpu_graph graph, sac_gpu_stream stream)
{
    return sac_gpu_status(cudaGraphLaunch(graph, stream));
}

void sac_gpu_graph_close(sac_gpu_graph *graph)
{
    if (*graph)
        (void)sac_gpu_status(cudaGraphExecDestroy(*graph));
    *graph = NULL;
}
