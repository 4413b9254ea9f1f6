/*
 * pack_c64: a record of complex samples, packed as beamform/kernels/pack.h says.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PACK_C64_H
#define SAC_BEAMFORM_PACK_C64_H

#include "beamform/kernels/pack.h"
#include "room/variant.h"

void sac_pack_c64_ref(void *record, const void *in, const sac_das *das, int32_t n_frames,
                      ptrdiff_t frame, ptrdiff_t sample);
void sac_pack_c64_auto_v3(void *record, const void *in, const sac_das *das, int32_t n_frames,
                          ptrdiff_t frame, ptrdiff_t sample);
void sac_pack_c64_auto_v4(void *record, const void *in, const sac_das *das, int32_t n_frames,
                          ptrdiff_t frame, ptrdiff_t sample);
void sac_pack_c64_avx512(void *record, const void *in, const sac_das *das, int32_t n_frames,
                         ptrdiff_t frame, ptrdiff_t sample);

SAC_INTERNAL extern const sac_room sac_pack_c64_room;

#endif
