/*
 * pack_c64: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_c64.h"

SAC_ROOM_TABLE(sac_pack_c64_room, "pack_c64",
               {"ref", 0, true, SAC_FN(sac_pack_fn, sac_pack_c64_ref)},
               /* At memory's pace: the same C for wider registers lost to ref. */
               SAC_X86_ROW("auto_v3", SAC_CPU_V3, false, SAC_FN(sac_pack_fn, sac_pack_c64_auto_v3)),
               SAC_X86_ROW("auto_v4", SAC_CPU_V4, false, SAC_FN(sac_pack_fn, sac_pack_c64_auto_v4)),
               SAC_X86_ROW("avx512", SAC_CPU_V4, true, SAC_FN(sac_pack_fn, sac_pack_c64_avx512)))
