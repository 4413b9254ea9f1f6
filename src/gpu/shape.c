/*
 * Launch shapes that users ask for: the limits of CUDA.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>

#include "gpu/gpu.h"

#define MAX_BLOCK 1024 /* threads */

static bool is_shape(const uint32_t axes[3])
{
    return axes[0] != 0 && axes[1] != 0 && axes[2] != 0;
}

sac_status sac_gpu_check_shape(const uint32_t grid[3], const uint32_t block[3], sac_error *err)
{
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (!is_shape(grid) || !is_shape(block))
        return sac_fail(err, SAC_E_INVALID, "grid, block: both expected, three axes of 1 or more");
    if (grid[0] > INT32_MAX || grid[1] > 65535 || grid[2] > 65535)
        return sac_fail(err, SAC_E_INVALID, "grid: at most 2147483647,65535,65535 expected");
    if (block[0] > MAX_BLOCK || block[1] > MAX_BLOCK || block[2] > 64 || threads > MAX_BLOCK) {
        return sac_fail(err, SAC_E_INVALID,
                        "block: at most 1024,1024,64 and 1024 threads expected, got %" PRIu32
                        ",%" PRIu32 ",%" PRIu32,
                        block[0], block[1], block[2]);
    }
    return SAC_OK;
}
