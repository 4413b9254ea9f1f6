/*
 * vhist_u16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vhist_u16.h"

static const sac_variant variants[] = {
    SAC_ROWS_V3_V4(sac_vhist_u16_fn, sac_vhist_u16_ref, sac_vhist_u16_plain, sac_vhist_u16_auto_v3,
                   sac_vhist_u16_auto_v4),
    {0},
};

const sac_room sac_vhist_u16_room = {"vhist_u16", variants};
