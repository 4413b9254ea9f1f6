/*
 * vscale_u16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vscale_u16.h"

SAC_ROOM_TABLE(sac_vscale_u16_room, "vscale_u16",
               SAC_ROWS_V3_V4(sac_vscale_fn, sac_vscale_u16_ref, sac_vscale_u16_plain,
                              sac_vscale_u16_auto_v3, sac_vscale_u16_auto_v4))
