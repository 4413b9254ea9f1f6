/*
 * interp: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interp.h"

SAC_ROOM_TABLE(sac_interp_room, "interp",
               {"ref", 0, true, SAC_FN(sac_interp_fn, sac_interp_ref), SAC_TIER_EXACT},
               {"plain", 0, true, SAC_FN(sac_interp_fn, sac_interp_plain), SAC_TIER_FP32},
               SAC_X86_ROW("auto_v3", SAC_CPU_V3, true, SAC_FN(sac_interp_fn, sac_interp_auto_v3),
                           SAC_TIER_FP32),
               SAC_X86_ROW("auto_v4", SAC_CPU_V4, true, SAC_FN(sac_interp_fn, sac_interp_auto_v4),
                           SAC_TIER_FP32),
               SAC_X86_ROW("avx512", SAC_CPU_V4, true, SAC_FN(sac_interp_fn, sac_interp_avx512),
                           SAC_TIER_FP32))
