/*
 * envelope_c64: the table. The reference is the plain C of all three.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "envelope_c64.h"

SAC_ROOM_TABLE(sac_envelope_c64_room, "envelope_c64",
               {"ref", 0, true, SAC_FN(sac_envelope_c64_fn, sac_envelope_c64_ref)},
               SAC_X86_ROW("auto_v3", SAC_CPU_V3, true,
                           SAC_FN(sac_envelope_c64_fn, sac_envelope_c64_auto_v3)),
               SAC_X86_ROW("auto_v4", SAC_CPU_V4, true,
                           SAC_FN(sac_envelope_c64_fn, sac_envelope_c64_auto_v4)))
