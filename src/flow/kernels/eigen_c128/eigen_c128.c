/*
 * eigen_c128: the table. The reference is the plain C of all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "eigen_c128.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_eigen_c128_fn, sac_eigen_c128_ref)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_eigen_c128_fn, sac_eigen_c128_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_eigen_c128_fn, sac_eigen_c128_auto_v4)},
#endif
    {0},
};

const sac_room sac_eigen_c128_room = {"eigen_c128", variants};
