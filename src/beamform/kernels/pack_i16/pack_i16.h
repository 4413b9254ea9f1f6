/*
 * pack_i16: a record of 16-bit samples, packed as beamform/kernels/pack.h says.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PACK_I16_H
#define SAC_BEAMFORM_PACK_I16_H

#include "beamform/kernels/pack.h"
#include "room/variant.h"

void sac_pack_i16_ref(void *record, const void *in, const sac_das *das, int32_t n_frames,
                      ptrdiff_t frame, ptrdiff_t sample);

SAC_INTERNAL extern const sac_room sac_pack_i16_room;

#endif
