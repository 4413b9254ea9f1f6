/*
 * Aligned, zeroed memory with a hook for tests.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)1 << 21)

typedef bool (*allow_fn)(size_t bytes);

/* Null in every program but a test of refused memory. */
static _Atomic(allow_fn) hook;

void sac_alloc_hook(bool (*allow)(size_t bytes))
{
    /* Tests set it before they start threads, so no order is needed. */
    atomic_store_explicit(&hook, allow, memory_order_relaxed);
}

/* Large memory in huge pages where the system has them: its addresses are found with fewer misses,
 * and it is cleared with fewer faults. */
static void *allocate(size_t bytes)
{
#ifdef MADV_HUGEPAGE
    void *memory;
    if (bytes >= 2 * HUGE_PAGE) {
        if (posix_memalign(&memory, HUGE_PAGE, bytes))
            return NULL;
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
        return memory;
    }
#endif
    return aligned_alloc(SAC_ALIGNMENT, bytes);
}

static void *take(size_t count, size_t size, bool is_zeroed)
{
    if (size && count > (SIZE_MAX - SAC_ALIGNMENT) / size)
        return NULL;
    size_t bytes = count * size;
    bytes = bytes ? (bytes + SAC_ALIGNMENT - 1) / SAC_ALIGNMENT * SAC_ALIGNMENT : SAC_ALIGNMENT;
    allow_fn allow = atomic_load_explicit(&hook, memory_order_relaxed);
    if (allow && !allow(bytes))
        return NULL;
    void *memory = allocate(bytes);
    if (memory && is_zeroed)
        memset(memory, 0, bytes);
    return memory;
}

void *sac_alloc(size_t count, size_t size)
{
    return take(count, size, true);
}

void *sac_alloc_bare(size_t count, size_t size)
{
    return take(count, size, false);
}

void sac_free(void *memory)
{
    free(memory);
}
