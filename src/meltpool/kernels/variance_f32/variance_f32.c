/*
 * variance_f32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "variance_f32.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_variance_f32_fn, sac_variance_f32_ref)},
    {"plain", 0, true, SAC_FN(sac_variance_f32_fn, sac_variance_f32_plain)},
#if SAC_X86
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_variance_f32_fn, sac_variance_f32_avx2)},
    {"avx512", SAC_CPU_V4, true, SAC_FN(sac_variance_f32_fn, sac_variance_f32_avx512)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_variance_f32_fn, sac_variance_f32_neon)},
#endif
    {0},
};

const sac_room sac_variance_f32_room = {"variance_f32", variants};
