/*
 * The samples that a delay touches on the fast way of `points` (das_points.cuh), and the value
 * between them. What is read is decided as sac_das_taps does, of delays in single precision: a
 * delay so close to a place where the value jumps that these may miss it is left to double.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_TAKE_CUH
#define SAC_BEAMFORM_DAS_TAKE_CUH

#include "beamform/kernels/das/cuda/das_cuda.cuh"

/* Cubic interpolation's weights at the share a of the way between the two in the middle; where
 * there are no four, linear interpolation's. */
__device__ static inline void sac_das_cubic(float c[4], float a, bool four)
{
    const float half = 0.5f * a, a2 = a * a;
    c[0] = four ? half * fmaf(a, 2 - a, -1.0f) : 0;
    c[1] = four ? fmaf(a2, fmaf(1.5f, a, -2.5f), 1.0f) : 1 - a;
    c[2] = four ? half * fmaf(a, fmaf(-3.0f, a, 4.0f), 1.0f) : a;
    c[3] = four ? 0.5f * a2 * (a - 1) : 0;
}

/* Samples on their way, of one delay: the share u of the way from one to the next, of two, or, of
 * four, in the middle. */
template <typename S, int INTERP> struct sac_das_taken {
    typename sac_sample<S>::raw s[INTERP == SAC_INTERP_NEAREST  ? 1
                                  : INTERP == SAC_INTERP_LINEAR ? 2
                                                                : 4];
    float u;
    bool four; /* cubic: else the two in the middle alone count */
};

/* All of them inside; `from` is the sample at the whole delay. */
template <typename S, int INTERP>
__device__ static inline void sac_das_take(sac_das_taken<S, INTERP> *to, const S *from, float u)
{
    to->u = u;
    to->four = true;
    if (INTERP == SAC_INTERP_NEAREST) {
        to->s[0] = __ldg(from + (u >= 0.5f));
    } else {
        const int first = INTERP == SAC_INTERP_CUBIC ? -1 : 0;
#pragma unroll
        for (int i = 0; i < (int)(sizeof to->s / sizeof to->s[0]); i++)
            to->s[i] = __ldg(from + first + i);
    }
}

/* Of any delay i + u. Beyond the record its first or last sample is read. Returns whether anything
 * is received. */
template <typename S, int INTERP>
__device__ static inline bool sac_das_take_any(sac_das_taken<S, INTERP> *to, const S *record,
                                               const sac_das *das, int32_t i, float u)
{
    const int32_t last = das->n_samples - 1;
    const bool is_in = (uint32_t)i < (uint32_t)last;
    const int32_t low = min(max(i, 0), last), high = is_in ? i + 1 : low;
    to->u = u;
    to->four = i >= 1 && i < last - 1;
    if (INTERP == SAC_INTERP_NEAREST) {
        to->s[0] = __ldg(record + (u >= 0.5f ? high : low));
    } else {
        const int first = INTERP == SAC_INTERP_CUBIC ? 1 : 0;
        to->s[first] = __ldg(record + low);
        to->s[first + 1] = __ldg(record + high);
        if (INTERP == SAC_INTERP_CUBIC) {
            to->s[0] = __ldg(record + (to->four ? low - 1 : low));
            to->s[3 * first] = __ldg(record + (to->four ? high + 1 : high));
        }
    }
    return is_in || das->outside == SAC_OUTSIDE_CLAMP;
}

template <typename S, int INTERP>
__device__ static inline typename sac_sample<S>::value
sac_das_value(const sac_das_taken<S, INTERP> &of)
{
    typename sac_sample<S>::value v = sac_sample_of(of.s[0]);
    if (INTERP == SAC_INTERP_LINEAR)
        return sac_between(v, sac_sample_of(of.s[1]), of.u);
    if (INTERP == SAC_INTERP_CUBIC) {
        const int last = (int)(sizeof of.s / sizeof of.s[0]) - 1; /* 3 */
        float c[4];
        sac_das_cubic(c, of.u, of.four);
        v = sac_add(sac_zero(v), c[0], 0, v);
        for (int i = 1; i <= last; i++)
            v = sac_add(v, c[i], 0, sac_sample_of(of.s[i]));
    }
    return v;
}

/* How near the record's ends a delay is left to double, in a float of the whole delay. In single
 * precision it is off by some roundings of the array's extent (das_receive.cuh). */
template <typename Real> __device__ static inline float sac_das_end_of(const sac_das_cuda *run)
{
    double extent2 = 0;
    for (int i = 0; i < 3 && sizeof(Real) == sizeof(float); i++) {
        const double d = run->box[1][i] - run->box[0][i];
        extent2 = fma(d, d, extent2);
    }
    return fmaf(0x1p-22f, (float)(run->das.n_samples + 2), 1e-6f * sqrtf((float)extent2));
}

/* Whether double decides about i + u; nearest's halves within `off`. */
template <int INTERP, bool INSIDE>
__device__ static inline bool sac_das_is_odd(const sac_das *das, float end, float off, int32_t i,
                                             float u)
{
    bool odd = INTERP == SAC_INTERP_NEAREST && fabsf(u - 0.5f) < off;
    if (!INSIDE && das->outside == SAC_OUTSIDE_ZERO) {
        const float s = (float)i + u;
        odd = odd || fminf(fabsf(s), fabsf(s - (float)(das->n_samples - 1))) < end;
    }
    return odd;
}

/* The sample at a delay in 2^-32 samples, by any interpolation; 0 where none is received. */
template <typename S>
__device__ static inline typename sac_sample<S>::value
sac_das_take_exact(const S *record, const sac_das *das, int64_t s)
{
    double coefficient[4];
    int32_t first;
    const int32_t n = sac_das_taps(coefficient, &first, (double)s * 0x1p-32, das->n_samples,
                                   das->interp, das->outside);
    typename sac_sample<S>::value v = sac_zero(typename sac_sample<S>::value());
    for (int32_t i = 0; i < n; i++)
        v = sac_add(v, (float)coefficient[i], 0, sac_sample_of(record[first + i]));
    return v;
}

#endif
