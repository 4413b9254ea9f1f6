/*
 * pack_f32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_f32.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_pack_fn, sac_pack_f32_ref)},
    {0},
};

const sac_room sac_pack_f32_room = {"pack_f32", variants};
