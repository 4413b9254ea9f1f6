/*
 * mlp_f32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mlp_f32.h"

SAC_ROOM_TABLE(sac_mlp_f32_room, "mlp_f32",
               SAC_ROWS_V3_V4(sac_mlp_f32_fn, sac_mlp_f32_ref, sac_mlp_f32_plain,
                              sac_mlp_f32_auto_v3, sac_mlp_f32_auto_v4),
               SAC_X86_ROW("avx512", SAC_CPU_V4, true, SAC_FN(sac_mlp_f32_fn, sac_mlp_f32_avx512)))
