/*
 * Records of a group, which lie anywhere in the acquisition, one behind the other.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "beamform/kernels/groups_cuda.h"

#define THREADS 256

/* A block is a record of a frame, after a record of another. */
template <typename T>
__global__ void __launch_bounds__(THREADS) gather(const __grid_constant__ sac_groups_cuda_job j)
{
    const int64_t n_records = (int64_t)j.n_frames * j.n_tx * j.n_rx;
    for (int64_t i = blockIdx.x; i < n_records; i += gridDim.x) {
        const int64_t r = i % j.n_rx, t = i / j.n_rx % j.n_tx, f = i / j.n_rx / j.n_tx;
        const T *from = (const T *)j.in + f * j.from.frame + j.which[t] * j.from.tx +
                        j.which[j.n_tx + r] * j.from.rx;
        T *to = (T *)j.out + i * j.n_samples;
        for (int64_t s = threadIdx.x; s < j.n_samples; s += THREADS)
            to[s] = from[s * j.from.sample];
    }
}

extern "C" sac_status sac_groups_cuda_gather(sac_gpu_stream stream, const sac_groups_cuda_job *job)
{
    const int64_t n_records = (int64_t)job->n_frames * job->n_tx * job->n_rx;
    const unsigned blocks = (unsigned)min(n_records, (int64_t)65535);
    if (job->size == 8)
        gather<uint64_t><<<blocks, THREADS, 0, stream>>>(*job);
    else if (job->size == 4)
        gather<uint32_t><<<blocks, THREADS, 0, stream>>>(*job);
    else
        gather<uint16_t><<<blocks, THREADS, 0, stream>>>(*job);
    return sac_cuda_launched();
}
