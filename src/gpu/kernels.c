/*
 * What kernels take of a multiprocessor, of launches that a stream has captured.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "gpu/runtime.h"

static void take_axes(uint32_t axes[3], dim3 of)
{
    axes[0] = of.x;
    axes[1] = of.y;
    axes[2] = of.z;
}

static bool same_axes(const uint32_t axes[3], dim3 of)
{
    return axes[0] == of.x && axes[1] == of.y && axes[2] == of.z;
}

static cudaError_t describe(sac_gpu_kernel *k, const struct cudaKernelNodeParams *launch)
{
    const int32_t threads = (int32_t)(launch->blockDim.x * launch->blockDim.y * launch->blockDim.z);
    struct cudaFuncAttributes of;
    int device = 0, most = 0;
    cudaError_t error = cudaFuncGetAttributes(&of, launch->func);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&k->blocks, launch->func, threads,
                                                              launch->sharedMemBytes);
    if (error != cudaSuccess)
        return error;
    k->launches = 1;
    k->registers = of.numRegs;
    k->shared_bytes = (uint32_t)of.sharedSizeBytes + launch->sharedMemBytes;
    k->local_bytes = (uint32_t)of.localSizeBytes;
    k->occupancy = (double)k->blocks * threads / most;
    take_axes(k->grid, launch->gridDim);
    take_axes(k->block, launch->blockDim);
    return error;
}

/* What a list knows of a launch besides its description. */
typedef struct seen {
    sac_gpu_kernel *kernels;
    const void **functions;
    int32_t n, most;
} seen;

static cudaError_t add(seen *s, cudaGraphNode_t node)
{
    struct cudaKernelNodeParams launch;
    enum cudaGraphNodeType type;
    cudaError_t error = cudaGraphNodeGetType(node, &type);
    if (error != cudaSuccess || type != cudaGraphNodeTypeKernel)
        return error;
    error = cudaGraphKernelNodeGetParams(node, &launch);
    if (error != cudaSuccess)
        return error;
    for (int32_t i = 0; i < s->n; i++)
        if (s->functions[i] == launch.func && same_axes(s->kernels[i].grid, launch.gridDim) &&
            same_axes(s->kernels[i].block, launch.blockDim)) {
            s->kernels[i].launches++;
            return error;
        }
    if (s->n == s->most)
        return error;
    s->functions[s->n] = launch.func;
    error = describe(&s->kernels[s->n], &launch);
    s->n += error == cudaSuccess;
    return error;
}

static sac_status list(seen *s, cudaGraph_t graph)
{
    size_t n = 0;
    sac_status status = sac_gpu_status(cudaGraphGetNodes(graph, NULL, &n));
    if (status != SAC_OK || n == 0)
        return status;
    cudaGraphNode_t *nodes = sac_alloc(n, sizeof *nodes);
    s->functions = sac_alloc((size_t)s->most, sizeof *s->functions);
    status =
        nodes && s->functions ? sac_gpu_status(cudaGraphGetNodes(graph, nodes, &n)) : SAC_E_NOMEM;
    for (size_t i = 0; i < n && status == SAC_OK; i++)
        status = sac_gpu_status(add(s, nodes[i]));
    sac_free(s->functions);
    sac_free(nodes);
    return status;
}

sac_status sac_gpu_graph_describe(sac_gpu_kernel *kernels, int32_t *n, int32_t most,
                                  sac_gpu_stream stream)
{
    cudaGraph_t captured = NULL;
    seen s = {.kernels = kernels, .most = most};
    sac_status status = sac_gpu_status(cudaStreamEndCapture(stream, &captured));
    if (status == SAC_OK)
        status = list(&s, captured);
    if (captured)
        (void)sac_gpu_status(cudaGraphDestroy(captured));
    *n = status == SAC_OK ? s.n : 0;
    return status;
}
