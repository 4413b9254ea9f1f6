/*
 * dual_f32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dual_f32.h"

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_dual_f32_fn, sac_dual_f32_ref)},
    {"plain", 0, true, SAC_FN(sac_dual_f32_fn, sac_dual_f32_plain)},
#if SAC_X86
    /* Slower than what the compiler makes of plain: NOTES.md. */
    {"avx2", SAC_CPU_V3, false, SAC_FN(sac_dual_f32_fn, sac_dual_f32_avx2)},
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_dual_f32_fn, sac_dual_f32_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_dual_f32_fn, sac_dual_f32_auto_v4)},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_dual_f32_fn, sac_dual_f32_avx512)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_dual_f32_fn, sac_dual_f32_neon)},
#endif
    {0},
};

const sac_room sac_dual_f32_room = {"dual_f32", variants};
