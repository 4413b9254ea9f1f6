/*
 * clahe_u16 on a GPU: levels gathered from device memory, more or fewer divisions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/clahe.cuh"

extern "C" const sac_variant sac_clahe_u16_cuda[] = {
    {"divide", 0, false, SAC_FN(sac_clahe_cuda_fn, (sac_clahe_launch<uint16_t, sac_clahe_divide>))},
    {"table", 0, false, SAC_FN(sac_clahe_cuda_fn, (sac_clahe_launch<uint16_t, sac_clahe_table>))},
    {"reciprocal", 0, false,
     SAC_FN(sac_clahe_cuda_fn, (sac_clahe_launch<uint16_t, sac_clahe_reciprocal>))},
    {NULL, 0, false, NULL},
};
