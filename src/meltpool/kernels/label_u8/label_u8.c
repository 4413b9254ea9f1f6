/*
 * label_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "label_u8.h"

SAC_ROOM_TABLE(sac_label_u8_room, "label_u8",
               {"ref", 0, true, SAC_FN(sac_label_u8_fn, sac_label_u8_ref)},
               {"plain", 0, true, SAC_FN(sac_label_u8_fn, sac_label_u8_plain)},
               SAC_X86_ROW("avx512", SAC_CPU_V4, true,
                           SAC_FN(sac_label_u8_fn, sac_label_u8_avx512)))
