/*
 * The table of a room with a reference and plain C, included once by the room's .c file:
 *
 *     #define ROOM "hilbert_f32"
 *     #define NAME(of) sac_hilbert_f32_##of      the room's function type and variants, and the
 * room
 * SPDX-License-Identifier: Apache-2.0
 */
SAC_ROOM_TABLE(NAME(room), ROOM, {"ref", 0, false, SAC_FN(NAME(fn), NAME(ref))},
               {"plain", 0, true, SAC_FN(NAME(fn), NAME(plain))},
               SAC_X86_ROW("auto_v3", SAC_CPU_V3, true, SAC_FN(NAME(fn), NAME(auto_v3))),
               SAC_X86_ROW("auto_v4", SAC_CPU_V4, true, SAC_FN(NAME(fn), NAME(auto_v4))))
