/*
 * clahe_u8 on a GPU: levels gathered from device memory, or a cell's in shared memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/clahe_cells.cuh"

extern "C" const sac_variant sac_clahe_u8_cuda[] = {
    {"divide", 0, false, SAC_FN(sac_clahe_cuda_fn, (sac_clahe_launch<uint8_t, sac_clahe_divide>))},
    {"table", 0, false, SAC_FN(sac_clahe_cuda_fn, (sac_clahe_launch<uint8_t, sac_clahe_table>))},
    {"reciprocal", 0, false,
     SAC_FN(sac_clahe_cuda_fn, (sac_clahe_launch<uint8_t, sac_clahe_reciprocal>))},
    {"cells", 0, false, SAC_FN(sac_clahe_cuda_fn, sac_clahe_cells_launch)},
    {NULL, 0, false, NULL},
};
