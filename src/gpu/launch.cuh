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

/* A row of a table of rungs that never ship. */
#define SAC_RUNG(type, name, tier, ...)                                                            \
    {                                                                                              \
        name, 0, false, SAC_FN(type, (__VA_ARGS__)), tier                                          \
    }

/* The user's shape, or as many blocks of SAC_RUNG_THREADS as n items ask for. */
static inline sac_launch sac_launch_of(const sac_gpu_shape *shape, int64_t n)
{
    const sac_launch own = {dim3(sac_rung_blocks(n)), dim3(SAC_RUNG_THREADS)};
    if (!shape)
        return own;
    const sac_launch users = {dim3(shape->grid[0], shape->grid[1], shape->grid[2]),
                              dim3(shape->block[0], shape->block[1], shape->block[2])};
    return users;
}

#endif
