/*
 * Features 0..19 of a frame from its integers: the same floats wherever this runs, since every step
 * is one rounded operation of IEEE 754.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FEATURES_H
#define SAC_MELTPOOL_FEATURES_H

#include <math.h>

#include "kernels/host_device.h"
#include "meltpool_frame_u8.h"

/*
 * sqrt(lmin / lmax) of the pool's second central moments [p r; r q] / area^2 with 1/12 added to p
 * and q, a pixel's own moment: sqrt(det) / lmax. p, q, r are exact before that: below 2^43.
 */
static inline SAC_HOST_DEVICE double sac_meltpool_ratio(const sac_meltpool_integers *in)
{
    const int64_t area = in->area, x = in->sum_x, y = in->sum_y;
    const double pixel = (double)(area * area) / 12;
    const double p = (double)(area * in->sum_xx - x * x) + pixel;
    const double q = (double)(area * in->sum_yy - y * y) + pixel;
    const double r = (double)(area * in->sum_xy - x * y);
    const double half = (p - q) / 2;
    return sqrt(p * q - r * r) / ((p + q) / 2 + sqrt(half * half + r * r));
}

static inline SAC_HOST_DEVICE void sac_meltpool_features(float features[SAC_MELTPOOL_OF_FRAME],
                                                         const sac_meltpool_integers *in)
{
    const bool has_pool = in->area > 0;
    uint64_t squares = 0; /* below 2^57: a bin has 2^14 votes of less than 2^13 at most */
    for (int i = 0; i < SAC_MELTPOOL_BINS; i++)
        squares += (uint64_t)in->hog[i] * in->hog[i];
    const double norm = sqrt((double)squares);
    features[0] = (float)in->area;
    features[1] = (float)in->spatter_pixels;
    features[2] = (float)in->n_spatters;
    features[3] = has_pool ? (float)sac_meltpool_ratio(in) : 0;
    features[4] = has_pool ? (float)((double)in->sum_i / in->area) : 0;
    for (int i = 0; i < SAC_MELTPOOL_SECTORS; i++)
        features[5 + i] = (float)in->polar[i];
    for (int i = 0; i < SAC_MELTPOOL_BINS; i++)
        features[11 + i] = norm > 0 ? (float)(in->hog[i] / norm) : 0;
}

#endif
