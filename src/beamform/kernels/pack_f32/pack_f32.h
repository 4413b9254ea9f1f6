/*
 * pack_f32: a record of single-precision samples, packed as beamform/kernels/pack.h says.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PACK_F32_H
#define SAC_BEAMFORM_PACK_F32_H

#include "beamform/kernels/pack.h"
#include "room/variant.h"

void sac_pack_f32_ref(void *record, const void *in, const sac_das *das, int32_t n_frames,
                      ptrdiff_t frame, ptrdiff_t sample);

SAC_INTERNAL extern const sac_room sac_pack_f32_room;

#endif
