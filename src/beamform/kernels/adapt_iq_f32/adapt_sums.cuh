/*
 * adapt_iq_f32 on a GPU: reductions that need only sums over a point's signals, and what becomes of
 * these.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_SUMS_CUH
#define SAC_BEAMFORM_ADAPT_SUMS_CUH

#include "beamform/kernels/das/cuda/das_cuda.cuh"

__device__ static inline float sac_adapt_square(float2 a)
{
    return fmaf(a.x, a.x, a.y * a.y);
}

__device__ static inline float sac_adapt_over(float a, float b)
{
    return b != 0 ? a / b : 0;
}

/* A signal more: x and y are S or Y; z the power, or z and w the sums of signs. */
template <int KIND>
__device__ static inline void sac_adapt_add(float4 *sum, float2 x, float exponent)
{
    float scale = 1;
    if (KIND == SAC_REDUCE_DMAS) { /* |x|^(1 / P - 1), of which exponent is half the power */
        const float power = sac_adapt_square(x);
        scale = power != 0 ? exp2f(exponent * log2f(power)) : 0;
    }
    sum->x = fmaf(scale, x.x, sum->x);
    sum->y = fmaf(scale, x.y, sum->y);
    if (KIND == SAC_REDUCE_CF)
        sum->z = fmaf(x.x, x.x, fmaf(x.y, x.y, sum->z));
    if (KIND == SAC_REDUCE_SCF) {
        sum->z += (float)((x.x > 0) - (x.x < 0));
        sum->w += (float)((x.y > 0) - (x.y < 0));
    }
}

__device__ static inline float sac_adapt_exponent(const sac_reduction *r)
{
    return 0.5f * (1 / (float)r->amount - 1);
}

__device__ static inline float sac_adapt_sign_factor(float sum, float count, float p)
{
    const float b = sac_adapt_over(sum, count); /* 1 - sqrt(1 - b^2), without cancellation */
    return powf(b * b / (1 + sqrtf(fmaxf(fmaf(-b, b, 1.0f), 0))), p);
}

/* Of the sums of `count` signals. */
template <int KIND>
__device__ static inline float2 sac_adapt_value(const float4 &sum, float count,
                                                const sac_reduction *r)
{
    const float2 s = make_float2(sum.x, sum.y);
    const float p = (float)r->amount;
    float2 factor = make_float2(1, 1);
    if (KIND == SAC_REDUCE_CF)
        factor.x = factor.y = sac_adapt_over(sac_adapt_square(s), count * sum.z);
    if (KIND == SAC_REDUCE_SCF) {
        factor.x = sac_adapt_sign_factor(sum.z, count, p);
        factor.y = sac_adapt_sign_factor(sum.w, count, p);
    }
    if (KIND == SAC_REDUCE_DMAS)
        factor.x = factor.y = powf(sac_adapt_over(sqrtf(sac_adapt_square(s)), count), p - 1);
    return make_float2(factor.x * s.x, factor.y * s.y);
}

#endif
