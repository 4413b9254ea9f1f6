/*
 * variance_f32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "variance_f32.h"

SAC_ROOM_TABLE(sac_variance_f32_room, "variance_f32",
               {"ref", 0, true, SAC_FN(sac_variance_f32_fn, sac_variance_f32_ref)},
               {"plain", 0, true, SAC_FN(sac_variance_f32_fn, sac_variance_f32_plain)},
               SAC_X86_ROW("avx512", SAC_CPU_V4, true,
                           SAC_FN(sac_variance_f32_fn, sac_variance_f32_avx512)))
