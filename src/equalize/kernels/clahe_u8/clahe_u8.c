/*
 * clahe_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u8.h"

SAC_ROOM_TABLE(sac_clahe_u8_room, "clahe_u8",
               SAC_ROWS_V3_V4(sac_clahe_fn, sac_clahe_u8_ref, sac_clahe_u8_plain,
                              sac_clahe_u8_auto_v3, sac_clahe_u8_auto_v4))
