/*
 * pack_c64: a record of complex samples, packed as beamform/kernels/pack.h says.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PACK_C64_H
#define SAC_BEAMFORM_PACK_C64_H

#include "beamform/kernels/pack.h"
#include "room/variant.h"

sac_pack_function sac_pack_c64_ref, sac_pack_c64_auto_v3, sac_pack_c64_auto_v4, sac_pack_c64_avx2,
    sac_pack_c64_avx512, sac_pack_c64_neon;

SAC_INTERNAL extern const sac_room sac_pack_c64_room;

#endif
