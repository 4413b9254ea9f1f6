/*
 * pack_c64 with vectors, for sets without a file of their own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_c64.h"

#include "beamform/kernels/pack_simd.h"

void sac_pack_c64_simd(void *record, const void *in, const sac_das *das, int32_t n_frames,
                       ptrdiff_t frame, ptrdiff_t sample)
{
    sac_pack_simd(record, in, das, n_frames, frame, sample, sizeof(float), 2);
}
