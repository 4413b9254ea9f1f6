/*
 * The table of a room of a frame's stage, included once by the room's .c file:
 *
 *     #define ROOM "hog_u8"
 *     #define NAME(of) sac_hog_u8_##of      the room's function type and variants, and the room
 * SPDX-License-Identifier: Apache-2.0
 */
SAC_ROOM_TABLE(NAME(room), ROOM, {"ref", 0, true, SAC_FN(NAME(fn), NAME(ref))},
               {"plain", 0, true, SAC_FN(NAME(fn), NAME(plain))},
               SAC_X86_ROW("avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
                           SAC_FN(NAME(fn), NAME(avx512))))
