/*
 * vscale_u8 on a GPU: the equalization step of Duong, "Programmation GPU" (2024), dividing for each
 * pixel or in the table first.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/vscale.cuh"

extern "C" const sac_variant sac_vscale_u8_cuda[] = {
    {"divide", 0, false,
     SAC_FN(sac_vscale_cuda_fn, (sac_vscale_launch<uint8_t, sac_divide<uint8_t>>))},
    {"table", 0, false,
     SAC_FN(sac_vscale_cuda_fn, (sac_vscale_launch<uint8_t, sac_multiply<uint8_t>>))},
    {NULL, 0, false, NULL},
};
