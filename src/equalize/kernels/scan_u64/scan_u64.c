/*
 * scan_u64: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan_u64.h"

SAC_ROOM_TABLE(sac_scan_u64_room, "scan_u64",
               {"sequential", 0, true, SAC_FN(sac_scan_u64_fn, sac_scan_u64_sequential)},
               SAC_X86_ROW("avx512", SAC_CPU_V4, true,
                           SAC_FN(sac_scan_u64_fn, sac_scan_u64_avx512)))
