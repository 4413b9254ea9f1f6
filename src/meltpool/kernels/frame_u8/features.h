/*
 * Features 0..19 of a frame from its integers: the same floats wherever this runs, since every step
 * is one rounded operation of IEEE 754.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_U8_FEATURES_H
#define SAC_MELTPOOL_FRAME_U8_FEATURES_H

#include <math.h>

#include "base/host_device.h"
#include "frame_u8.h"

/*
 * a / b, rounded as a division is, of integers below 2^53 and 1 / b, rounded: what remains of a
 * first quotient is exact, and corrects it to far less than any such quotient is away from where
 * roundings change.
 */
static inline SAC_HOST_DEVICE double sac_meltpool_quotient(double a, double b, double reciprocal)
{
#ifdef __CUDA_ARCH__
    const double first = a * reciprocal;
    return fma(fma(-b, first, a), reciprocal, first);
#else
    (void)reciprocal;
    return a / b;
#endif
}

/*
 * Of the pool's second central moments [p r; r q] / area^2 with 1/12 added to p and q, a pixel's
 * own moment: det, ((p - q) / 2)^2 + r^2 and (p + q) / 2. p, q, r are exact before that: below
 * 2^43.
 */
static inline SAC_HOST_DEVICE void sac_meltpool_moments(double of[3],
                                                        const sac_meltpool_integers *in)
{
    const int64_t area = in->area, x = in->sum_x, y = in->sum_y;
    const double pixel = sac_meltpool_quotient((double)(area * area), 12, 1 / 12.0);
    const double p = (double)(area * in->sum_xx - x * x) + pixel;
    const double q = (double)(area * in->sum_yy - y * y) + pixel;
    const double r = (double)(area * in->sum_xy - x * y);
    const double half = (p - q) / 2;
    of[0] = p * q - r * r;
    of[1] = half * half + r * r;
    of[2] = (p + q) / 2;
}

/* sqrt(lmin / lmax) = sqrt(det) / lmax, where the pool has pixels. */
static inline SAC_HOST_DEVICE double sac_meltpool_ratio(const sac_meltpool_integers *in)
{
    double of[3];
    sac_meltpool_moments(of, in);
    return sqrt(of[0]) / (of[2] + sqrt(of[1]));
}

static inline SAC_HOST_DEVICE float sac_meltpool_mean(const sac_meltpool_integers *in)
{
    return in->area > 0 ? (float)((double)in->sum_i / in->area) : 0;
}

/* The same where 1 / area is known. */
static inline SAC_HOST_DEVICE float sac_meltpool_mean_by(const sac_meltpool_integers *in,
                                                         double reciprocal)
{
    return in->area > 0 ? (float)sac_meltpool_quotient(in->sum_i, in->area, reciprocal) : 0;
}

/* The length of the histogram of gradients. */
static inline SAC_HOST_DEVICE double sac_meltpool_norm(const sac_meltpool_integers *in)
{
    uint64_t squares = 0; /* below 2^57: a bin has 2^14 votes of less than 2^13 at most */
    for (int i = 0; i < SAC_MELTPOOL_BINS; i++)
        squares += (uint64_t)in->hog[i] * in->hog[i];
    return sqrt((double)squares);
}

static inline SAC_HOST_DEVICE float sac_meltpool_share(uint32_t votes, double norm)
{
    return norm > 0 ? (float)(votes / norm) : 0;
}

static inline SAC_HOST_DEVICE void sac_meltpool_features(float features[SAC_MELTPOOL_OF_FRAME],
                                                         const sac_meltpool_integers *in)
{
    const double norm = sac_meltpool_norm(in);
    features[0] = (float)in->area;
    features[1] = (float)in->spatter_pixels;
    features[2] = (float)in->n_spatters;
    features[3] = in->area > 0 ? (float)sac_meltpool_ratio(in) : 0;
    features[4] = sac_meltpool_mean(in);
    for (int i = 0; i < SAC_MELTPOOL_SECTORS; i++)
        features[5 + i] = (float)in->polar[i];
    for (int i = 0; i < SAC_MELTPOOL_BINS; i++)
        features[11 + i] = sac_meltpool_share(in->hog[i], norm);
}

#endif
