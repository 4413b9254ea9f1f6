/*
 * envelope_c64: the table. The reference is the plain C of all on x86-64.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "envelope_c64.h"

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_envelope_c64_fn, sac_envelope_c64_ref)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_envelope_c64_fn, sac_envelope_c64_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_envelope_c64_fn, sac_envelope_c64_auto_v4)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_envelope_c64_fn, sac_envelope_c64_neon)},
#endif
    {0},
};

const sac_room sac_envelope_c64_room = {"envelope_c64", variants};
