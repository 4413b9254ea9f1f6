/*
 * mix_c64: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mix_c64.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_mix_c64_fn, sac_mix_c64_ref)},
    {"plain", 0, true, SAC_FN(sac_mix_c64_fn, sac_mix_c64_plain), SAC_TIER_FP32},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_mix_c64_fn, sac_mix_c64_auto_v3), SAC_TIER_FP32},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_mix_c64_fn, sac_mix_c64_auto_v4), SAC_TIER_FP32},
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_mix_c64_fn, sac_mix_c64_avx2), SAC_TIER_FP32},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_mix_c64_fn, sac_mix_c64_avx512), SAC_TIER_FP32},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_mix_c64_fn, sac_mix_c64_neon), SAC_TIER_FP32},
#endif
    {0},
};

const sac_room sac_mix_c64_room = {"mix_c64", variants};
