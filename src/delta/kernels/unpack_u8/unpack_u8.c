/*
 * unpack_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unpack_u8.h"

SAC_ROOM_TABLE(sac_unpack_u8_room, "unpack_u8",
               SAC_ROWS_V3_V4(sac_unpack_u8_fn, sac_unpack_u8_ref, sac_unpack_u8_plain,
                              sac_unpack_u8_auto_v3, sac_unpack_u8_auto_v4),
               SAC_X86_ROW("avx512", SAC_CPU_AVX512_VBMI, true,
                           SAC_FN(sac_unpack_u8_fn, sac_unpack_u8_avx512)))
