/*
 * bench_beamform: the clock of a multiprocessor, counted while other work runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform_gpu.h"

/* One thread of one block, so that the other work hardly feels it. */
__global__ static void count_cycles(int64_t *cycles_ns, int64_t ns)
{
    int64_t began, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
    const int64_t first = clock64();
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - began < ns);
    cycles_ns[0] = clock64() - first;
    cycles_ns[1] = now - began;
}

extern "C" sac_status bench_count_cycles(sac_gpu_stream stream, int64_t *cycles_ns, int64_t ns)
{
    count_cycles<<<1, 1, 0, stream>>>(cycles_ns, ns);
    return sac_cuda_launched();
}
