/*
 * levels_u32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "levels_u32.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_levels_fn, sac_levels_u32_ref)},
    {"plain", 0, true, SAC_FN(sac_levels_fn, sac_levels_u32_plain)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_levels_fn, sac_levels_u32_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_levels_fn, sac_levels_u32_auto_v4)},
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_levels_fn, sac_levels_u32_avx2)},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_levels_fn, sac_levels_u32_avx512)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_levels_fn, sac_levels_u32_neon)},
#endif
    {0},
};

const sac_room sac_levels_u32_room = {"levels_u32", variants};
