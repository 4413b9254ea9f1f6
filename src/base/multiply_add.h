/*
 * a b + c for plain C that is built for several instruction sets: fused, rounded once, where the
 * CPU or GPU does that in one instruction, else rounded twice. Bounds must allow for either.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_MULTIPLY_ADD_H
#define SAC_BASE_MULTIPLY_ADD_H

#include <math.h>

#include "base/host_device.h"

SAC_HOST_DEVICE static inline float sac_multiply_add(float a, float b, float c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDA_ARCH__)
    return fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

#endif
