/*
 * Memory of a device and page-locked memory of the host; copies between them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/runtime.h"

static sac_status allocate(sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
{
    sac_status status = SAC_CUDA_CALL(gpu->index, err, cudaMalloc, memory, bytes);
    if (status == SAC_OK)
        status = SAC_CUDA_CALL(gpu->index, err, cudaMemsetAsync, *memory, 0, bytes, gpu->main);
    if (status == SAC_OK)
        status = SAC_CUDA_CALL(gpu->index, err, cudaStreamSynchronize, gpu->main);
    if (status) {
        sac_gpu_free(gpu, *memory);
        *memory = NULL;
    }
    return status;
}

sac_status sac_gpu_alloc(sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
{
    *memory = NULL;
    sac_status status = sac_gpu_enter(gpu);
    if (status)
        return sac_fail(err, status, "device: cuda:%d is lost", gpu->index);
    status = allocate(gpu, memory, bytes ? bytes : 1, err);
    sac_gpu_leave(gpu);
    return status;
}

void sac_gpu_free(sac_gpu *gpu, void *memory)
{
    if (memory && sac_gpu_enter(gpu) == SAC_OK) {
        (void)sac_gpu_status(cudaFree(memory));
        sac_gpu_leave(gpu);
    }
}

sac_status sac_gpu_alloc_pinned(sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
{
    *memory = NULL;
    sac_status status = sac_gpu_enter(gpu);
    if (status)
        return sac_fail(err, status, "device: cuda:%d is lost", gpu->index);
    status = SAC_CUDA_CALL(gpu->index, err, cudaHostAlloc, memory, bytes ? bytes : 1,
                           cudaHostAllocPortable);
    sac_gpu_leave(gpu);
    return status;
}

void sac_gpu_free_pinned(sac_gpu *gpu, void *memory)
{
    if (memory && sac_gpu_enter(gpu) == SAC_OK) {
        (void)sac_gpu_status(cudaFreeHost(memory));
        sac_gpu_leave(gpu);
    }
}

static bool is_pinned_at(const void *address)
{
    struct cudaPointerAttributes found;
    return sac_gpu_status(cudaPointerGetAttributes(&found, address)) == SAC_OK &&
           found.type == cudaMemoryTypeHost;
}

bool sac_gpu_is_pinned(const void *memory, size_t bytes)
{
    return bytes > 0 && is_pinned_at(memory) && is_pinned_at((const char *)memory + bytes - 1);
}

sac_status sac_gpu_copy(void *to, const void *from, size_t bytes, sac_gpu_stream stream)
{
    return sac_gpu_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

sac_status sac_gpu_copy_rows(void *to, ptrdiff_t to_row, const void *from, ptrdiff_t from_row,
                             size_t width, size_t rows, sac_gpu_stream stream)
{
    if (to_row == (ptrdiff_t)width && from_row == to_row)
        return sac_gpu_copy(to, from, width * rows, stream);
    return sac_gpu_status(cudaMemcpy2DAsync(to, (size_t)to_row, from, (size_t)from_row, width, rows,
                                            cudaMemcpyDefault, stream));
}

sac_status sac_gpu_set(void *memory, uint8_t value, size_t bytes, sac_gpu_stream stream)
{
    return sac_gpu_status(cudaMemsetAsync(memory, value, bytes, stream));
}
