/*
 * adjust_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "adjust_u8.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_adjust_u8_fn, sac_adjust_u8_ref)},
    {"plain", 0, true, SAC_FN(sac_adjust_u8_fn, sac_adjust_u8_plain)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_adjust_u8_fn, sac_adjust_u8_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_adjust_u8_fn, sac_adjust_u8_auto_v4)},
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_adjust_u8_fn, sac_adjust_u8_avx2)},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_adjust_u8_fn, sac_adjust_u8_avx512)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_adjust_u8_fn, sac_adjust_u8_neon)},
#endif
    {0},
};

const sac_room sac_adjust_u8_room = {"adjust_u8", variants};
