/*
 * Other work on a GPU: threads that read the clock until their time is over.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "busy.h"

#include "gpu/ptx.cuh"

__global__ static void spin(int64_t ns)
{
    const uint64_t began = sac_global_timer_ns();
    while (sac_global_timer_ns() - began < (uint64_t)ns) {
    }
}

extern "C" sac_status busy_launch(sac_gpu_stream stream, int32_t n_blocks, int64_t ns)
{
    spin<<<(unsigned)n_blocks, 1024, 0, stream>>>(ns);
    return sac_cuda_launched();
}
