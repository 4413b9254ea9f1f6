/*
 * Memory of the GPU on the CPU, and how that GPU fails.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"

enum { ALIGNMENT = 128, MOST_RANGES = 64 };

static _Atomic int fault;
static _Atomic int64_t n_before, n_failed, n_open;

void emulated_break(emulated_fault what, int64_t n)
{
    atomic_store(&n_before, n);
    atomic_store(&n_failed, 0);
    atomic_store(&fault, what);
}

bool emulated_mend(void)
{
    atomic_store(&fault, EMULATED_WHOLE);
    return atomic_load(&n_failed) > 0;
}

bool emulated_is_lost(void)
{
    return atomic_load(&fault) == EMULATED_LOST && atomic_load(&n_failed) > 0;
}

sac_status emulated_ask(emulated_fault by)
{
    const emulated_fault what = (emulated_fault)atomic_load(&fault);
    if (what == EMULATED_WHOLE || (by == EMULATED_LOST && what != by) ||
        atomic_fetch_sub(&n_before, 1) > 0)
        return SAC_OK;
    atomic_fetch_add(&n_failed, 1);
    return what == EMULATED_LOST ? SAC_E_DEVICE : SAC_E_NOMEM;
}

void emulated_count(int by)
{
    atomic_fetch_add(&n_open, by);
}

int64_t emulated_open_things(void)
{
    return atomic_load(&n_open);
}

static sac_status allocate(void **memory, size_t bytes, const char *call, sac_error *err)
{
    const sac_status status = emulated_ask(EMULATED_FULL);
    *memory = NULL;
    if (status == SAC_E_DEVICE)
        return sac_fail(err, status, "device: cuda:0 is lost");
    if (status || posix_memalign(memory, ALIGNMENT, bytes) != 0)
        return sac_fail(err, SAC_E_NOMEM, "device: cuda:0: %s: out of memory", call);
    memset(*memory, 0, bytes);
    emulated_count(1);
    return SAC_OK;
}

sac_status sac_gpu_alloc(sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
{
    (void)gpu;
    return allocate(memory, bytes, "cudaMalloc", err);
}

/* Waits for all that was enqueued, as CUDA does. */
void sac_gpu_free(sac_gpu *gpu, void *memory)
{
    int n_naps = 0;
    (void)gpu;
    while (memory && emulated_unfinished() > 0)
        emulated_nap(&n_naps);
    emulated_count(-(memory != NULL));
    free(memory);
}

/* Page-locked memory; some of it is the caller's own. */
static struct {
    _Atomic uintptr_t begin, end;
    atomic_bool is_callers;
} ranges[MOST_RANGES];

static sac_status allocate_pinned(void **memory, size_t bytes, bool is_callers, sac_error *err)
{
    const sac_status status = allocate(memory, bytes, "cudaHostAlloc", err);
    for (int i = 0; status == SAC_OK && i < MOST_RANGES; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&ranges[i].begin, &none, (uintptr_t)*memory)) {
            atomic_store(&ranges[i].is_callers, is_callers);
            atomic_store(&ranges[i].end, (uintptr_t)*memory + bytes);
            break;
        }
    }
    return status;
}

static void free_pinned(void *memory)
{
    for (int i = 0; memory && i < MOST_RANGES; i++)
        if (atomic_load(&ranges[i].begin) == (uintptr_t)memory) {
            atomic_store(&ranges[i].end, 0);
            atomic_store(&ranges[i].begin, 0);
        }
    sac_gpu_free(NULL, memory);
}

/* The number of the range that has all these bytes, or -1. */
static int range_of(const void *memory, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)memory;
    for (int i = 0; i < MOST_RANGES; i++) {
        const uintptr_t first = atomic_load(&ranges[i].begin);
        if (first && begin >= first && begin + bytes <= atomic_load(&ranges[i].end))
            return i;
    }
    return -1;
}

uint64_t sac_gpu_free_bytes(const sac_gpu *gpu)
{
    (void)gpu;
    return (uint64_t)1 << 30;
}

sac_status sac_gpu_alloc_pinned(sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
{
    (void)gpu;
    return allocate_pinned(memory, bytes, false, err);
}

void sac_gpu_free_pinned(sac_gpu *gpu, void *memory)
{
    (void)gpu;
    free_pinned(memory);
}

sac_status sac_pinned_alloc(void **out, size_t bytes, sac_device device, sac_error *err)
{
    (void)device;
    return allocate_pinned(out, bytes, true, err);
}

void sac_pinned_free(void *memory, sac_device device)
{
    (void)device;
    free_pinned(memory);
}

bool sac_gpu_reads_in_place(const void *memory, size_t bytes)
{
    const int i = range_of(memory, bytes);
    return i >= 0 && atomic_load(&ranges[i].is_callers);
}

bool sac_gpu_is_pinned(const void *memory, size_t bytes)
{
    return !emulated_is_lost() && range_of(memory, bytes) >= 0;
}
