/*
 * pack_i16 with vectors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_i16.h"

#include "beamform/kernels/pack_simd.h"

void sac_pack_i16_simd(void *record, const void *in, const sac_das *das, int32_t n_frames,
                       ptrdiff_t frame, ptrdiff_t sample)
{
    sac_pack_simd(record, in, das, n_frames, frame, sample, sizeof(int16_t), 1);
}
