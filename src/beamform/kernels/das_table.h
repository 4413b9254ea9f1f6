/*
 * The table of a delay-and-sum room, included once by the room's .c file:
 *
 *     #define ROOM "das_rf_f32"
 *     #define NAME(of) sac_das_rf_f32_##of       the room's variants, and the room
 *     #define AVX512_TIER SAC_TIER_EXACT         how exact avx512 is
 * SPDX-License-Identifier: Apache-2.0
 */
SAC_ROOM_TABLE(
    NAME(room), ROOM, {"ref", 0, false, SAC_FN(sac_das_fn, NAME(ref)), SAC_TIER_EXACT},
    {"precise", 0, true, SAC_FN(sac_das_fn, NAME(precise)), SAC_TIER_EXACT},
    SAC_X86_ROW("auto_v3", SAC_CPU_V3, true, SAC_FN(sac_das_fn, NAME(auto_v3)), SAC_TIER_EXACT),
    SAC_X86_ROW("auto_v4", SAC_CPU_V4, true, SAC_FN(sac_das_fn, NAME(auto_v4)), SAC_TIER_EXACT),
    SAC_X86_ROW("avx512", SAC_CPU_V4, true, SAC_FN(sac_das_fn, NAME(avx512)), AVX512_TIER))
