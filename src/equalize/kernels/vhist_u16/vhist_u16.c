/*
 * vhist_u16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vhist_u16.h"

SAC_ROOM_TABLE(sac_vhist_u16_room, "vhist_u16",
               SAC_ROWS_V3_V4(sac_vhist_fn, sac_vhist_u16_ref, sac_vhist_u16_plain,
                              sac_vhist_u16_auto_v3, sac_vhist_u16_auto_v4))
