/*
 * The table of a room with a reference, plain C and vectors for AVX2, included once by the room's
 * .c file:
 *
 *     #define ROOM "demodulate_i16"
 *     #define NAME(of) sac_demodulate_i16_##of   the room's function type and variants, and the
 *                                                room
 * SPDX-License-Identifier: Apache-2.0
 */
static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(NAME(fn), NAME(ref))},
    {"plain", 0, true, SAC_FN(NAME(fn), NAME(plain))},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(NAME(fn), NAME(auto_v3))},
    {"avx2", SAC_CPU_V3, true, SAC_FN(NAME(fn), NAME(avx2))},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(NAME(fn), NAME(auto_v4))},
#endif
    {0},
};

const sac_room NAME(room) = {ROOM, variants};
