/*
 * The table of a room of a frame's stage, included once by the room's .c file:
 *
 *     #define ROOM "hog_u8"
 *     #define NAME(of) sac_hog_u8_##of      the room's function type and variants, and the room
 * SPDX-License-Identifier: Apache-2.0
 */
static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(NAME(fn), NAME(ref))},
    {"plain", 0, true, SAC_FN(NAME(fn), NAME(plain))},
#if SAC_X86
    {"avx2", SAC_CPU_V3, true, SAC_FN(NAME(fn), NAME(avx2))},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true, SAC_FN(NAME(fn), NAME(avx512))},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(NAME(fn), NAME(neon))},
#endif
    {0},
};

const sac_room NAME(room) = {ROOM, variants};
