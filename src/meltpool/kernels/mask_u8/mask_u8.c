/*
 * mask_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mask_u8.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_mask_u8_fn, sac_mask_u8_ref)},
    {"plain", 0, true, SAC_FN(sac_mask_u8_fn, sac_mask_u8_plain)},
#if SAC_X86
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_mask_u8_fn, sac_mask_u8_avx512)},
#endif
    {0},
};

const sac_room sac_mask_u8_room = {"mask_u8", variants};
