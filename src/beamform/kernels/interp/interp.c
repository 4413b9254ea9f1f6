/*
 * interp: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interp.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_interp_fn, sac_interp_ref), SAC_TIER_EXACT},
    {"plain", 0, true, SAC_FN(sac_interp_fn, sac_interp_plain), SAC_TIER_FP32},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_interp_fn, sac_interp_auto_v3), SAC_TIER_FP32},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_interp_fn, sac_interp_auto_v4), SAC_TIER_FP32},
    {"avx512", SAC_CPU_V4, true, SAC_FN(sac_interp_fn, sac_interp_avx512), SAC_TIER_FP32},
    /* Pairs of 8 places are put together in less time than those of 16. */
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_interp_fn, sac_interp_avx2), SAC_TIER_FP32},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_interp_fn, sac_interp_neon), SAC_TIER_FP32},
#endif
    {0},
};

const sac_room sac_interp_room = {"interp", variants};
