/*
 * gram_c64: the table. The reference is the plain C of all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gram_c64.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_gram_c64_fn, sac_gram_c64_ref)},
#if SAC_X86
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_gram_c64_fn, sac_gram_c64_avx2), SAC_TIER_FP32},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_gram_c64_fn, sac_gram_c64_avx512), SAC_TIER_FP32},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_gram_c64_fn, sac_gram_c64_neon), SAC_TIER_FP32},
#endif
    {0},
};

const sac_room sac_gram_c64_room = {"gram_c64", variants};
