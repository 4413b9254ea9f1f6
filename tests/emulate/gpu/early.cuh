/*
 * gpu/early.cuh as C++ knows it, for kernels on fibers. A stream's launches follow each other; that
 * a kernel waits for the stream, as it must, is checked.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_EARLY_CUH
#define SAC_GPU_EARLY_CUH

#include "cuda_words.h"
#include "gpu/launched.h"

static inline void sac_wait_for_stream()
{
    emulated_stream_awaited();
}

static inline void sac_let_next_begin()
{
}

template <class... Wanted, class... Given>
static inline sac_status sac_launch_early(sac_gpu_stream stream, dim3 grid, unsigned threads,
                                          void (*kernel)(Wanted...), Given... given)
{
    emulated_call<Wanted...>{kernel, grid, threads, 0, stream, false, true}(given...);
    return sac_cuda_launched();
}

#endif
