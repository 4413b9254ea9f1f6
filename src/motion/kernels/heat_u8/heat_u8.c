/*
 * heat_u8: the table of variants.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heat_u8.h"

SAC_ROOM_TABLE(sac_heat_u8_room, "heat_u8",
               SAC_ROWS_V4_V3(sac_heat_u8_fn, sac_heat_u8_ref, sac_heat_u8_plain,
                              sac_heat_u8_auto_v4, sac_heat_u8_auto_v3),
               SAC_X86_ROW("avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
                           SAC_FN(sac_heat_u8_fn, sac_heat_u8_avx512)))
