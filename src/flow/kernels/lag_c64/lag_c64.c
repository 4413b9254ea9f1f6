/*
 * lag_c64: the table. The reference is the plain C of all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lag_c64.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_lag_c64_fn, sac_lag_c64_ref)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_lag_c64_fn, sac_lag_c64_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_lag_c64_fn, sac_lag_c64_auto_v4)},
#endif
    {0},
};

const sac_room sac_lag_c64_room = {"lag_c64", variants};
