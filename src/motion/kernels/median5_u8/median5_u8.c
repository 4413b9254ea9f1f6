/*
 * median5_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "median5_u8.h"

SAC_ROOM_TABLE(sac_median5_u8_room, "median5_u8",
               SAC_ROWS_V3_V4(sac_filter_u8_fn, sac_median5_u8_ref, sac_median5_u8_plain,
                              sac_median5_u8_auto_v3, sac_median5_u8_auto_v4))
