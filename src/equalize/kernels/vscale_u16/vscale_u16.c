/*
 * vscale_u16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vscale_u16.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_vscale_fn, sac_vscale_u16_ref)},
    {"plain", 0, true, SAC_FN(sac_vscale_fn, sac_vscale_u16_plain)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_vscale_fn, sac_vscale_u16_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_vscale_fn, sac_vscale_u16_auto_v4)},
#endif
    {0},
};

const sac_room sac_vscale_u16_room = {"vscale_u16", variants};
