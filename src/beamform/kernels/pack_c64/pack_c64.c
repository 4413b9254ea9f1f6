/*
 * pack_c64: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_c64.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_pack_fn, sac_pack_c64_ref)},
#if SAC_X86
    /* At memory's pace: the same C for wider registers lost to ref. */
    {"auto_v3", SAC_CPU_V3, false, SAC_FN(sac_pack_fn, sac_pack_c64_auto_v3)},
    {"auto_v4", SAC_CPU_V4, false, SAC_FN(sac_pack_fn, sac_pack_c64_auto_v4)},
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_pack_fn, sac_pack_c64_avx2)},
    {"avx512", SAC_CPU_V4, true, SAC_FN(sac_pack_fn, sac_pack_c64_avx512)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_pack_fn, sac_pack_c64_neon)},
#endif
    {0},
};

const sac_room sac_pack_c64_room = {"pack_c64", variants};
