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
 * t, is 1.1e-7. Coefficients by Horner's scheme, a step for each.
 */
#define SAC_LOG2_FIRST (-0.149733275f)
#define SAC_LOG2_REST(step)                                                                        \
    step(0.235709637f) step(-0.248322815f) step(0.28686887f) step(-0.360263467f)                   \
        step(0.480931163f) step(-0.721352458f) step(1.4426949f)

SAC_HOST_DEVICE static inline float sac_log2_over(float t)
{
    float sum = SAC_LOG2_FIRST;
#define STEP(c) sum = sac_multiply_add(sum, t, c);
    SAC_LOG2_REST(STEP)
#undef STEP
    return sum;
}

#endif
