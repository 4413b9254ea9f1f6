/*
 * Reads of shared memory as fast as multiprocessors do them: 16 bytes a thread, no bank conflicts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/launched.h"
#include "gpu/shared_bandwidth.h"

#define THREADS 512 /* two such blocks are 32 warps: enough to hide a load's 30 clocks */
#define BLOCKS 2    /* of a multiprocessor; both fit into the 64 KB of the smallest */
#define LOADS 4     /* side by side; so a block's words are 32 KB */
#define UNROLL 8
#define ROUNDS 1024

/* `step` is 0, which the compiler must not know: else it would load once. */
__global__ void __launch_bounds__(THREADS) read_words(uint32_t *out, int32_t step)
{
    __shared__ uint4 words[LOADS * THREADS];
    for (int32_t i = (int32_t)threadIdx.x; i < LOADS * THREADS; i += THREADS)
        words[i] = make_uint4((unsigned)i, 1, 2, blockIdx.x);
    __syncthreads();
    const uint4 *at = words + threadIdx.x;
    uint32_t sum = 0;
    for (int32_t round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int32_t k = 0; k < UNROLL; k++) {
#pragma unroll
            for (int32_t i = 0; i < LOADS; i++) {
                const uint4 v = at[i * THREADS];
                sum ^= v.x ^ v.y ^ v.z ^ v.w;
            }
            at += step;
        }
    }
    out[(size_t)blockIdx.x * THREADS + threadIdx.x] = sum;
}

extern "C" size_t sac_gpu_shared_out(int32_t n_multiprocessors)
{
    return (size_t)n_multiprocessors * BLOCKS * THREADS * sizeof(uint32_t);
}

extern "C" double sac_gpu_shared_bytes(int32_t n_multiprocessors)
{
    return (double)n_multiprocessors * BLOCKS * THREADS * sizeof(uint4) * LOADS * UNROLL * ROUNDS;
}

extern "C" sac_status sac_gpu_read_shared(void *out, int32_t n_multiprocessors,
                                          sac_gpu_stream stream)
{
    read_words<<<(unsigned)n_multiprocessors * BLOCKS, THREADS, 0, stream>>>((uint32_t *)out, 0);
    return sac_cuda_launched();
}
