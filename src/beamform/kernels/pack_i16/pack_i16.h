/*
 * pack_i16: a record of 16-bit samples, packed as beamform/kernels/pack.h says.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PACK_I16_H
#define SAC_BEAMFORM_PACK_I16_H

#include "beamform/kernels/pack.h"
#include "room/variant.h"

sac_pack_function sac_pack_i16_ref, sac_pack_i16_avx2, sac_pack_i16_avx512, sac_pack_i16_neon;

SAC_INTERNAL extern const sac_room sac_pack_i16_room;

#endif
