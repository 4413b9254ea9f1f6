/*
 * CUDA's header of this name as C++ knows it: halves, which are converted and nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATE_FP16_H
#define SAC_EMULATE_FP16_H

#include "cuda_words.h"

struct __half {
    uint16_t bits; /* a sign, 5 bits of exponent, 10 of fraction */
};

struct __align__(4) __half2
{
    __half x, y;
};

/* To the nearest, halves to even. */
static inline __half __float2half_rn(float v)
{
    const uint16_t sign = (uint16_t)(__float_as_uint(v) >> 16 & 0x8000);
    const float size = fabsf(v);
    if (v != v)
        return {0x7fff};
    if (size >= 65520)
        return {(uint16_t)(sign | 0x7c00)};
    const int exponent = size < 0x1p-14f ? -14 : ilogbf(size);
    /* Of normal numbers the fraction's leading 1 is one of the exponent, and so may be its carry.
     */
    return {(uint16_t)(sign | ((exponent + 14) * 1024 + (int)rintf(ldexpf(size, 10 - exponent))))};
}

static inline float __half2float(__half h)
{
    const int exponent = h.bits >> 10 & 31, fraction = h.bits & 1023;
    const float size = exponent == 31 ? fraction ? NAN : INFINITY
                       : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                      : ldexpf((float)fraction, -24);
    return h.bits >> 15 ? -size : size;
}

static inline uint16_t __half_as_ushort(__half h)
{
    return h.bits;
}

static inline __half __ushort_as_half(uint16_t bits)
{
    return {bits};
}

static inline __half2 __floats2half2_rn(float x, float y)
{
    return {__float2half_rn(x), __float2half_rn(y)};
}

static inline float2 __half22float2(__half2 h)
{
    return {__half2float(h.x), __half2float(h.y)};
}

#endif
