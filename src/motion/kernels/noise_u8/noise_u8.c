/*
 * noise_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "noise_u8.h"

SAC_ROOM_TABLE(sac_noise_u8_room, "noise_u8",
               SAC_ROWS_V4_V3(sac_noise_u8_fn, sac_noise_u8_ref, sac_noise_u8_plain,
                              sac_noise_u8_auto_v4, sac_noise_u8_auto_v3),
               SAC_X86_ROW("avx512", SAC_CPU_AVX512_VBMI, true,
                           SAC_FN(sac_noise_u8_fn, sac_noise_u8_avx512)))
