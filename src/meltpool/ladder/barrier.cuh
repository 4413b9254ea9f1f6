/*
 * A barrier between the blocks of a grid, all of which are resident.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_BARRIER_CUH
#define SAC_MELTPOOL_LADDER_BARRIER_CUH

#include "meltpool/ladder/rung.cuh"

/*
 * Waits for all blocks. gate[0] counts those that have arrived, and gate[1] how often all had: who
 * waits does so for the next generation, so that the count can begin anew before the last one has
 * seen that it was full.
 */
__device__ static inline void sac_rung_pass(uint32_t *gate)
{
    __syncthreads();
    if (sac_thread() == 0) {
        const uint32_t generation = sac_load_acquire(&gate[1]);
        __threadfence(); /* this block's writes, and the generation before, ahead of its arrival */
        if (atomicAdd(&gate[0], 1u) == gridDim.x - 1) {
            sac_store_relaxed(&gate[0], 0);
            __threadfence(); /* all blocks' writes, and the new count, ahead of the generation */
            atomicAdd(&gate[1], 1u);
        } else {
            while (sac_load_acquire(&gate[1]) == generation)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

#endif
