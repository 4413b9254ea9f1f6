/*
 * sum: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sum.h"

SAC_ROOM_TABLE(
    sac_sum_room, "sum", {"ref", 0, true, SAC_FN(sac_sum_fn, sac_sum_ref), SAC_TIER_EXACT},
    {"plain", 0, true, SAC_FN(sac_sum_fn, sac_sum_plain), SAC_TIER_FP32},
    SAC_X86_ROW("auto_v3", SAC_CPU_V3, true, SAC_FN(sac_sum_fn, sac_sum_auto_v3), SAC_TIER_FP32),
    SAC_X86_ROW("auto_v4", SAC_CPU_V4, true, SAC_FN(sac_sum_fn, sac_sum_auto_v4), SAC_TIER_FP32))
