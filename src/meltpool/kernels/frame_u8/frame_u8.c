/*
 * frame_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frame_u8.h"

SAC_ROOM_TABLE(sac_frame_u8_room, "frame_u8",
               {"ref", 0, true, SAC_FN(sac_frame_u8_fn, sac_frame_u8_ref)},
               {"plain", 0, true, SAC_FN(sac_frame_u8_fn, sac_frame_u8_plain)},
               SAC_X86_ROW("stages", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, false,
                           SAC_FN(sac_frame_u8_fn, sac_frame_u8_stages)),
               SAC_X86_ROW("avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
                           SAC_FN(sac_frame_u8_fn, sac_frame_u8_avx512)))
