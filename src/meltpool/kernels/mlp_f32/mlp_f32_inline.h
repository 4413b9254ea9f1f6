/*
 * The last step of mlp_f32, in single precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_MLP_F32_INLINE_H
#define SAC_MELTPOOL_MLP_F32_INLINE_H

#include <stdint.h>
#include <string.h>

#include "base/multiply_add.h"

/* e^x for -87.33 <= x <= 0, within 3e-7 of it: 2^k e^r, |r| <= ln(2) / 2, by Remez's exchange. */
SAC_HOST_DEVICE static inline float sac_meltpool_exp(float x)
{
    const float shift = 12582912; /* 1.5 2^23: what is added to it is rounded to an integer */
    const float k = (x * 1.44269504f + shift) - shift;
    const float r = (x - k * 0.693359375f) - k * -2.12194440e-4f; /* the first product is exact */
    float sum = 0.008297654800117016f;
    sum = sac_multiply_add(sum, r, 0.04191538318991661f);
    sum = sac_multiply_add(sum, r, 0.16667574644088745f);
    sum = sac_multiply_add(sum, r, 0.49998894333839417f);
    sum = sac_multiply_add(sum, r, 0.9999997019767761f);
    sum = sac_multiply_add(sum, r, 1.0000001192092896f);
    const uint32_t bits = (uint32_t)((int32_t)k + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

/*
 * ln(1 + e^y) = max(0, y) + ln(1 + t), t = e^-|y|, and ln(1 + t) = 2 atanh(u / 2), u = 2 t / (2 +
 * t)
 * <= 2 / 3, so that nothing cancels.
 */
SAC_HOST_DEVICE static inline float sac_meltpool_softplus(float y)
{
    const float below = y < 0 ? y : -y;
    const float t = sac_meltpool_exp(below > -87.33f ? below : -87.33f);
#ifdef __CUDA_ARCH__
    const float u = __fdividef(t + t, 2 + t); /* within 2 units in the last place */
#else
    const float u = (t + t) / (2 + t);
#endif
    const float v = 0.25f * (u * u);
    float sum = 0.1408916711807251f;
    sum = sac_multiply_add(sum, v, 0.13980300724506378f);
    sum = sac_multiply_add(sum, v, 0.20012454688549042f);
    sum = sac_multiply_add(sum, v, 0.3333315849304199f);
    sum = sac_multiply_add(sum, v, 1);
    return sac_multiply_add(u, sum, y < 0 ? 0 : y);
}

#endif
