/*
 * A plan's device: opening it, its streams, events and graphs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "gpu/runtime.h"

sac_status sac_gpu_enter(const sac_gpu *gpu, int32_t *before)
{
    int current = 0;
    sac_status status = sac_gpu_status(cudaGetDevice(&current));
    *before = current;
    if (status == SAC_OK && current != gpu->index)
        status = sac_gpu_status(cudaSetDevice(gpu->index));
    return status;
}

void sac_gpu_leave(int32_t before)
{
    int current = 0;
    if (cudaGetDevice(&current) == cudaSuccess && current != before)
        (void)sac_gpu_status(cudaSetDevice(before));
}

static sac_status open_streams(sac_gpu *gpu, sac_error *err)
{
    int n = 0;
    /* Not ordered behind the legacy default stream, which other code of the process may use. */
    const unsigned flags = cudaStreamNonBlocking;
    sac_status status = SAC_CUDA_CALL(gpu->index, err, cudaSetDevice, gpu->index);
    if (status == SAC_OK)
        status = SAC_CUDA_CALL(gpu->index, err, cudaDeviceGetAttribute, &n,
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
    int before = 0;
    status = SAC_CUDA_CALL(index, err, cudaGetDevice, &before);
    if (status)
        return status;
    sac_gpu *gpu = sac_alloc(1, sizeof *gpu);
    if (!gpu)
        return sac_fail(err, SAC_E_NOMEM, "device: no memory for cuda:%d", index);
    gpu->index = index;
    status = open_streams(gpu, err);
    sac_gpu_leave(before);
    if (status)
        sac_gpu_close(&gpu);
    *out = gpu;
    return status;
}

void sac_gpu_close(sac_gpu **gpu)
{
    if (!gpu || !*gpu)
        return;
    cudaStream_t streams[] = {(*gpu)->main, (*gpu)->copy, (*gpu)->back};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        if (streams[i])
            (void)sac_gpu_status(cudaStreamDestroy(streams[i]));
    sac_free(*gpu);
    *gpu = NULL;
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

static sac_status open_event(sac_gpu *gpu, sac_gpu_event *event, unsigned flags)
{
    int32_t before;
    *event = NULL;
    sac_status status = sac_gpu_enter(gpu, &before);
    if (status)
        return status;
    status = sac_gpu_status(cudaEventCreateWithFlags(event, flags));
    sac_gpu_leave(before);
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
