/*
 * How rungs of a ladder are launched, and, for .cu files, what became of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_LAUNCHED_H
#define SAC_GPU_LAUNCHED_H

#include "gpu/gpu.h"

#define SAC_RUNG_THREADS 256u /* eight warps: a multiprocessor holds several such blocks */
#define SAC_RUNG_BLOCKS                                                                            \
    1024u /* more than any GPU holds at once; threads go on to the next pixels */

/* As many blocks of SAC_RUNG_THREADS as n items ask for. */
static inline uint32_t sac_rung_blocks(int64_t n)
{
    const int64_t wanted = (n + SAC_RUNG_THREADS - 1) / SAC_RUNG_THREADS;
    return wanted < 1 ? 1u : wanted < SAC_RUNG_BLOCKS ? (uint32_t)wanted : SAC_RUNG_BLOCKS;
}

/* Blocks, and threads of a block, of the user's shape, or of a rung's own for n items. */
static inline void sac_rung_launch(uint64_t *blocks, uint64_t *threads, const sac_gpu_shape *shape,
                                   int64_t n)
{
    *blocks =
        shape ? (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2] : sac_rung_blocks(n);
    *threads =
        shape ? (uint64_t)shape->block[0] * shape->block[1] * shape->block[2] : SAC_RUNG_THREADS;
}

#ifdef __CUDACC__
/* The status of the launch just made. */
static inline sac_status sac_cuda_launched(void)
{
    cudaError_t error = cudaGetLastError();
    return error == cudaSuccess                 ? SAC_OK
           : error == cudaErrorMemoryAllocation ? SAC_E_NOMEM
                                                : SAC_E_DEVICE;
}
#endif

#endif
