/*
 * Launch shapes of the ladder's rungs: their own, or the user's.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_LAUNCH_CUH
#define SAC_GPU_LAUNCH_CUH

#include "gpu/launched.h"

typedef struct sac_launch {
    dim3 grid, block;
} sac_launch;

#define SAC_RUNG_THREADS 256u /* eight warps: a multiprocessor holds several such blocks */
#define SAC_RUNG_BLOCKS                                                                            \
    1024u /* more than any GPU holds at once; threads go on to the next pixels */

/* A row of a table of rungs that never ship. */
#define SAC_RUNG(type, name, tier, ...)                                                            \
    {                                                                                              \
        name, 0, false, SAC_FN(type, (__VA_ARGS__)), tier                                          \
    }

/* The user's shape, or as many blocks of SAC_RUNG_THREADS as n items ask for. */
static inline sac_launch sac_launch_of(const sac_gpu_shape *shape, int64_t n)
{
    const int64_t wanted = (n + SAC_RUNG_THREADS - 1) / SAC_RUNG_THREADS;
    const sac_launch own = {dim3(wanted < 1                 ? 1u
                                 : wanted < SAC_RUNG_BLOCKS ? (unsigned)wanted
                                                            : SAC_RUNG_BLOCKS),
                            dim3(SAC_RUNG_THREADS)};
    if (!shape)
        return own;
    const sac_launch users = {dim3(shape->grid[0], shape->grid[1], shape->grid[2]),
                              dim3(shape->block[0], shape->block[1], shape->block[2])};
    return users;
}

#endif
