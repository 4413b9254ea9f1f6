/*
 * das_rf_f32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_rf_f32.h"

void sac_das_rf_f32_ref(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    sac_das_rf_ref(out, das, first, n_points, SAC_F32);
}

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_das_fn, sac_das_rf_f32_ref), SAC_TIER_EXACT},
    {"precise", 0, true, SAC_FN(sac_das_fn, sac_das_rf_f32_precise), SAC_TIER_EXACT},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_das_fn, sac_das_rf_f32_auto_v3), SAC_TIER_EXACT},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_das_fn, sac_das_rf_f32_auto_v4), SAC_TIER_EXACT},
    {"avx512", SAC_CPU_V4, true, SAC_FN(sac_das_fn, sac_das_rf_f32_avx512), SAC_TIER_EXACT},
#endif
    {0},
};

const sac_room sac_das_rf_f32_room = {"das_rf_f32", variants};
