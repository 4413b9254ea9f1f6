/*
 * The logarithm of compress_f32, for the CPU's vectors and the GPU's threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_COMPRESS_F32_INLINE_H
#define SAC_BEAMFORM_COMPRESS_F32_INLINE_H

#include "base/multiply_add.h"

#define SAC_DB_PER_OCTAVE 6.02059991f /* 20 log10(2) */
#define SAC_SQRT_HALF 0x3f3504f3u     /* the bits of sqrt(1/2) */

/*
 * log2(1 + t) / t for 1 + t in [sqrt(1/2), sqrt(2)), by Remez's exchange: its largest error, times
 * t, is 1.1e-7.
 */
SAC_HOST_DEVICE static inline float sac_log2_over(float t)
{
    float sum = -0.149733275f;
    sum = sac_multiply_add(sum, t, 0.235709637f);
    sum = sac_multiply_add(sum, t, -0.248322815f);
    sum = sac_multiply_add(sum, t, 0.28686887f);
    sum = sac_multiply_add(sum, t, -0.360263467f);
    sum = sac_multiply_add(sum, t, 0.480931163f);
    sum = sac_multiply_add(sum, t, -0.721352458f);
    return sac_multiply_add(sum, t, 1.4426949f);
}

#endif
