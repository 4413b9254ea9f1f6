/*
 * Other work on a GPU: threads that read the clock until their time is over.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "busy.h"

__global__ static void spin(int64_t ns)
{
    int64_t began, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - began < ns);
}

extern "C" sac_status busy_launch(sac_gpu_stream stream, int32_t n_blocks, int64_t ns)
{
    spin<<<(unsigned)n_blocks, 1024, 0, stream>>>(ns);
    return sac_cuda_launched();
}
