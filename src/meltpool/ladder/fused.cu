/*
 * Rungs of seven kernels a frame and fewer: Pr, Se, Ph, Po, Ho, Te, Ne, each a block and Po six,
 * fused step by step until two are left.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/ladder/fused.cuh"

#define KERNEL static __global__ void __launch_bounds__(SAC_RUNG_TEAM)

KERNEL place(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    (void)sac_rung_place(&b, &c.turn->before, c, true);
    __syncthreads();
    sac_rung_give(&c.turn->after, &b.turn.after, SAC_RUNG_PLACED);
}

extern "C" sac_status sac_rung_launch_place(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_launch(place, 1, stream, call);
}

KERNEL segment(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (!sac_rung_resume_roi(&b, m, c))
        return;
    sac_rung_label<SAC_RUNG_IN_ROWS>(&b, &m, m.pixels, m.pixel_pitch);
    sac_rung_give(c.tasks.labels, m.labels, 4 * sac_rung_labels(c.places.roi));
    sac_rung_give(&c.turn->in, &b.turn.in, SAC_RUNG_POOL);
}

/* Each label and pixel is read once: from where they are. */
KERNEL physical(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    if (!sac_rung_resume(&b, c))
        return;
    sac_rung_physical(&b, c.tasks.labels, sac_rung_pitch(c.places.roi), sac_rung_roi(&b, c), c.row);
    __syncthreads();
    sac_rung_give_pool(b, c);
}

KERNEL polar(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_region(&b, sac_rung_memory_of(c.places.roi), c);
}

KERNEL gradients(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (!sac_rung_resume_roi(&b, m, c))
        return;
    sac_rung_gradients(&b, m.pixels, m.pixel_pitch, c.turn->in.hog);
}

KERNEL temporal(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    if (!sac_rung_resume(&b, c))
        return;
    sac_rung_temporal(&b, c);
    sac_rung_give(c.turn->features, b.turn.features, sizeof b.turn.features);
}

KERNEL network(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (sac_rung_resume(&b, c))
        sac_rung_network(&b, c, (float *)m.lines);
    sac_rung_commit(&b, c);
}

KERNEL segment_physical(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (!sac_rung_resume_roi(&b, m, c))
        return;
    sac_rung_segment<SAC_RUNG_IN_ROWS>(&b, &m);
    __syncthreads();
    sac_rung_give_pool(b, c);
}

KERNEL polar_gradients(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (!sac_rung_resume(&b, c, SAC_RUNG_JOB))
        return;
    sac_rung_load(m, &b, c);
    sac_rung_sectors(&b, m);
    __syncthreads();
    sac_rung_light<SAC_RUNG_REGIONS>(&b, m, (int32_t)blockIdx.x, c.turn);
}

/* Other blocks read `before` while this one works. */
KERNEL front(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    (void)sac_rung_front<SAC_RUNG_IN_ROWS, SAC_RUNG_REGIONS>(&b, &m, c, c.turn);
    __syncthreads();
    if (blockIdx.x > 0)
        return;
    sac_rung_give(&c.turn->after, &b.turn.after, SAC_RUNG_PLACED);
    sac_rung_give(&c.turn->in, &b.turn.in, SAC_RUNG_POOL);
}

KERNEL temporal_network(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    sac_rung_memory m = sac_rung_memory_of(c.places.roi);
    if (sac_rung_resume(&b, c))
        sac_rung_back(&b, m, c);
    sac_rung_commit(&b, c);
}

typedef struct launch {
    void (*kernel)(sac_rung_call);
    unsigned blocks;
} launch;

static sac_status launch_all(sac_gpu_stream stream, const sac_rung_call *call, const launch *of,
                             int n)
{
    sac_status status = SAC_OK;
    for (int i = 0; i < n && status == SAC_OK; i++)
        status = sac_rung_launch(of[i].kernel, of[i].blocks, stream, call);
    return status;
}

static sac_status frame_7(sac_gpu_stream stream, const sac_rung_call *call)
{
    static const launch of[] = {
        {place, 1},     {segment, 1},  {physical, 1}, {polar, SAC_RUNG_REGIONS},
        {gradients, 1}, {temporal, 1}, {network, 1}};
    return launch_all(stream, call, of, 7);
}

static sac_status frame_a(sac_gpu_stream stream, const sac_rung_call *call)
{
    static const launch of[] = {{place, 1},
                                {segment_physical, 1},
                                {polar, SAC_RUNG_REGIONS},
                                {gradients, 1},
                                {temporal_network, 1}};
    return launch_all(stream, call, of, 5);
}

static sac_status frame_b(sac_gpu_stream stream, const sac_rung_call *call)
{
    static const launch of[] = {{place, 1},
                                {segment_physical, 1},
                                {polar_gradients, SAC_RUNG_REGIONS},
                                {temporal_network, 1}};
    return launch_all(stream, call, of, 4);
}

static sac_status frame_c(sac_gpu_stream stream, const sac_rung_call *call)
{
    static const launch of[] = {{front, 1 + SAC_RUNG_REGIONS}, {temporal_network, 1}};
    return launch_all(stream, call, of, 2);
}

extern "C" sac_status sac_rung_fused_7(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, frame_7, 1);
}

extern "C" sac_status sac_rung_unconditional(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, frame_7, SAC_RUNG_ROUND);
}

/* The seven launches once more, each as its place in a graph. */
extern "C" sac_status sac_rung_graph(sac_gpu_stream stream, const sac_rung_call *call)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t frame = NULL;
    int64_t at = 0;
    if (sac_rung_is_noted(stream))
        return frame_7(stream, call);
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return sac_cuda_launched();
    sac_status status = frame_7(stream, call);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess ||
        cudaGraphInstantiate(&frame, graph, 0) != cudaSuccess)
        status = sac_cuda_launched();
    if (status == SAC_OK)
        status = sac_rung_reset(stream, call);
    while (status == SAC_OK && at < call->n) {
        for (int i = 0; i < SAC_RUNG_ROUND && status == SAC_OK; i++)
            if (cudaGraphLaunch(frame, stream) != cudaSuccess)
                status = sac_cuda_launched();
        if (status == SAC_OK)
            status = sac_rung_ask(&at, stream, call, &call->turn->before.at, sizeof at);
    }
    if (frame)
        (void)cudaGraphExecDestroy(frame);
    if (graph)
        (void)cudaGraphDestroy(graph);
    return status;
}

extern "C" sac_status sac_rung_fused_a(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, frame_a, SAC_RUNG_ROUND);
}

extern "C" sac_status sac_rung_fused_b(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, frame_b, SAC_RUNG_ROUND);
}

extern "C" sac_status sac_rung_fused_c(sac_gpu_stream stream, const sac_rung_call *call)
{
    return sac_rung_run(stream, call, frame_c, SAC_RUNG_ROUND);
}
