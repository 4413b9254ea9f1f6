/*
 * gaussian_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gaussian_u8.h"

SAC_ROOM_TABLE(sac_gaussian_u8_room, "gaussian_u8",
               SAC_ROWS_V3_V4(sac_filter_u8_fn, sac_gaussian_u8_ref, sac_gaussian_u8_plain,
                              sac_gaussian_u8_auto_v3, sac_gaussian_u8_auto_v4),
               SAC_X86_ROW("avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
                           SAC_FN(sac_filter_u8_fn, sac_gaussian_u8_avx512)))
