/*
 * clahe_u16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u16.h"

SAC_ROOM_TABLE(sac_clahe_u16_room, "clahe_u16",
               SAC_ROWS_V3_V4(sac_clahe_fn, sac_clahe_u16_ref, sac_clahe_u16_plain,
                              sac_clahe_u16_auto_v3, sac_clahe_u16_auto_v4))
