/*
 * bench_beamform: the clock of a multiprocessor, counted while other work runs; a context alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform_gpu.h"

#include "gpu/ptx.cuh"

/* One thread of one block, so that the other work hardly feels it. */
__global__ static void count_cycles(int64_t *cycles_ns, int64_t ns)
{
    const int64_t began = (int64_t)sac_global_timer_ns(), first = clock64();
    int64_t now;
    do
        now = (int64_t)sac_global_timer_ns();
    while (now - began < ns);
    cycles_ns[0] = clock64() - first;
    cycles_ns[1] = now - began;
}

extern "C" sac_status bench_count_cycles(sac_gpu_stream stream, int64_t *cycles_ns, int64_t ns)
{
    count_cycles<<<1, 1, 0, stream>>>(cycles_ns, ns);
    return sac_cuda_launched();
}

extern "C" sac_status bench_make_context(int32_t index)
{
    return cudaInitDevice(index, 0, 0) == cudaSuccess ? SAC_OK : SAC_E_DEVICE;
}
