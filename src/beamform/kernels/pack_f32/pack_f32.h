/*
 * pack_f32: a record of single-precision samples, packed as beamform/kernels/pack.h says.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PACK_F32_H
#define SAC_BEAMFORM_PACK_F32_H

#include "beamform/kernels/pack.h"
#include "room/variant.h"

sac_pack_function sac_pack_f32_ref, sac_pack_f32_avx2, sac_pack_f32_avx512, sac_pack_f32_neon;

SAC_INTERNAL extern const sac_room sac_pack_f32_room;

#endif
