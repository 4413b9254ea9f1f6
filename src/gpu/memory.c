/*
 * Memory of a device and page-locked memory of the host; copies between them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <string.h>

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

uint64_t sac_gpu_free_bytes(const sac_gpu *gpu)
{
    size_t unused = 0, all;
    if (sac_gpu_enter(gpu) != SAC_OK)
        return 0;
    if (sac_gpu_status(cudaMemGetInfo(&unused, &all)) != SAC_OK)
        unused = 0;
    sac_gpu_leave(gpu);
    return unused;
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

/*
 * What sac_pinned_alloc gave and sac_pinned_free has not taken back, so that a plan knows in
 * nanoseconds whether a GPU can read a frame in place. What finds no room here is copied instead.
 */
enum { MOST_RANGES = 64 };
static struct {
    _Atomic uintptr_t begin, end; /* 0: nothing */
} ranges[MOST_RANGES];
static _Atomic int n_ranges; /* the first so many may be in use */

static void note_range(uintptr_t begin, size_t bytes)
{
    for (int i = 0; i < MOST_RANGES; i++) {
        uintptr_t none = 0;
        if (!atomic_compare_exchange_strong(&ranges[i].begin, &none, begin))
            continue;
        atomic_store(&ranges[i].end, begin + bytes);
        int n = atomic_load(&n_ranges);
        while (n <= i && !atomic_compare_exchange_weak(&n_ranges, &n, i + 1)) {
        }
        return;
    }
}

bool sac_gpu_reads_in_place(const void *memory, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)memory;
    const int n = atomic_load_explicit(&n_ranges, memory_order_relaxed);
    for (int i = 0; i < n; i++) {
        /* Acquire: the end is no older than the beginning; read again, that is still of one range.
         */
        const uintptr_t first = atomic_load_explicit(&ranges[i].begin, memory_order_acquire);
        const uintptr_t end = atomic_load_explicit(&ranges[i].end, memory_order_acquire);
        if (begin >= first && begin + bytes <= end &&
            atomic_load_explicit(&ranges[i].begin, memory_order_relaxed) == first)
            return true;
    }
    return false;
}

sac_status sac_pinned_alloc(void **out, size_t bytes, sac_device device, sac_error *err)
{
    sac_gpu *gpu = NULL;
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "memory: is NULL");
    *out = NULL;
    if (device.kind != SAC_DEVICE_CUDA)
        return sac_fail(err, SAC_E_UNSUPPORTED, "device: page-locked memory is for a GPU");
    sac_status status = sac_gpu_open(&gpu, device.index, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc_pinned(gpu, out, bytes ? bytes : 1, err);
    sac_gpu_close(&gpu);
    if (status)
        return status;
    memset(*out, 0, bytes);
    note_range((uintptr_t)*out, bytes);
    return SAC_OK;
}

void sac_pinned_free(void *memory, sac_device device)
{
    sac_gpu *gpu = NULL;
    if (!memory)
        return;
    for (int i = 0; i < MOST_RANGES; i++)
        if (atomic_load(&ranges[i].begin) == (uintptr_t)memory) {
            atomic_store(&ranges[i].end, 0);
            atomic_store(&ranges[i].begin, 0);
        }
    if (sac_gpu_open(&gpu, device.index, NULL) == SAC_OK)
        sac_gpu_free_pinned(gpu, memory);
    sac_gpu_close(&gpu);
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
