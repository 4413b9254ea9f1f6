/*
 * The table of a delay-and-sum room, included once by the room's .c file:
 *
 *     #define ROOM "das_rf_f32"
 *     #define NAME(of) sac_das_rf_f32_##of       the room's variants, and the room
 *     #define SIMD_TIER SAC_TIER_EXACT           how exact avx2, avx512 and neon are
 *
 * Their kind says that with one frame the lanes of their vectors are points.
 * SPDX-License-Identifier: Apache-2.0
 */
static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_das_fn, NAME(ref)), SAC_TIER_EXACT},
    {"precise", 0, true, SAC_FN(sac_das_fn, NAME(precise)), SAC_TIER_EXACT},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_das_fn, NAME(auto_v3)), SAC_TIER_EXACT},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_das_fn, NAME(auto_v4)), SAC_TIER_EXACT},
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_das_fn, NAME(avx2)), SIMD_TIER, SAC_DAS_BY_POINTS},
    {"avx512", SAC_CPU_V4, true, SAC_FN(sac_das_fn, NAME(avx512)), SIMD_TIER, SAC_DAS_BY_POINTS},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_das_fn, NAME(neon)), SIMD_TIER, SAC_DAS_BY_POINTS},
#endif
    {0},
};

const sac_room NAME(room) = {ROOM, variants};
