/*
 * vscale_u16 on a GPU: the equalization step of Duong, "Programmation GPU" (2024), dividing for
 * each pixel or in the table first.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/vscale.cuh"

extern "C" const sac_variant sac_vscale_u16_cuda[] = {
    {"divide", 0, false,
     SAC_FN(sac_vscale_cuda_fn, (sac_vscale_launch<uint16_t, sac_divide<uint16_t>>))},
    {"table", 0, false,
     SAC_FN(sac_vscale_cuda_fn, (sac_vscale_launch<uint16_t, sac_multiply<uint16_t>>))},
    {NULL, 0, false, NULL},
};
