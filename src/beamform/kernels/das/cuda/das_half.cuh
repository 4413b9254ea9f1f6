/*
 * Samples in half precision: by which power of two they are scaled, so that the largest lies
 * between 2^12 and 2^13. Sums stay far below a half's 65,504, and what is 2^-27 of the largest is
 * still there.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_HALF_CUH
#define SAC_BEAMFORM_DAS_HALF_CUH

__device__ static inline float sac_das_half_scale(float largest)
{
    return largest > 0 ? exp2f((float)(12 - min(max(ilogbf(largest), -100), 100))) : 1;
}

#endif
