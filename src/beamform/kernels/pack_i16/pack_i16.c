/*
 * pack_i16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_i16.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_pack_fn, sac_pack_i16_ref)},
    {0},
};

const sac_room sac_pack_i16_room = {"pack_i16", variants};
