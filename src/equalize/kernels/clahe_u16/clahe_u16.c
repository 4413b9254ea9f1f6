/*
 * clahe_u16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u16.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_clahe_fn, sac_clahe_u16_ref)},
    {"plain", 0, true, SAC_FN(sac_clahe_fn, sac_clahe_u16_plain)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_clahe_fn, sac_clahe_u16_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_clahe_fn, sac_clahe_u16_auto_v4)},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_clahe_fn, sac_clahe_u16_avx512)},
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_clahe_fn, sac_clahe_u16_avx2)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_clahe_fn, sac_clahe_u16_neon)},
#endif
    {0},
};

const sac_room sac_clahe_u16_room = {"clahe_u16", variants};
