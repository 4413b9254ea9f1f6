/*
 * demodulate_i16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demodulate_i16.h"

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_demodulate_i16_fn, sac_demodulate_i16_ref)},
    {"plain", 0, true, SAC_FN(sac_demodulate_i16_fn, sac_demodulate_i16_plain)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_demodulate_i16_fn, sac_demodulate_i16_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_demodulate_i16_fn, sac_demodulate_i16_auto_v4)},
#endif
    {0},
};

const sac_room sac_demodulate_i16_room = {"demodulate_i16", variants};
