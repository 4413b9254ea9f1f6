/*
 * Adaptive weights: how the signals that elements receive from a point become one value, where it
 * is not their sum. x_m, m = 0 .. M - 1, are the signals of the M elements in the point's aperture,
 * in the order of their numbers: delayed, rotated, weighted by the receive window.
 *
 *     S     = sum x_m
 *     CF    |S|^2 / (M sum |x_m|^2) S
 *     GCF   sum over |k| <= M0 of |X_k|^2 / (M sum |x_m|^2) S,  X_k = sum x_m exp(-j 2 pi k m / M);
 *           S if 2 M0 + 1 >= M
 *     SCF   of real and imaginary parts apart: (1 - sqrt(1 - b^2))^P Re S,  b = mean sign(Re x_m)
 *     DMAS  |Y / M|^(P - 1) Y,  Y = sum |x_m|^(1 / P - 1) x_m
 *     SLSC  mean of R(m), m = 1 .. Q,  R(m) = mean over i of Re(x_i conj(x_(i+m))) / |x_i x_(i+m)|
 *     MV    M w^H s,  s = mean over K = M - L + 1 subarrays of x_l .. x_(l+L-1),
 *           w = R^-1 1 / (1^H R^-1 1),  R = mean of the subarrays' x x^H, plus loading / L trace(R)
 *
 * sign(0) is 0. Q and L are `amount`, or that share of M if it is below 1; Q is at most M - 1, L
 * at most (M + 1) / 2, both at least 1. What is divided by 0 is 0. All but SLSC, which is real, is
 * S where all x_m are equal.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_REDUCTION_H
#define SAC_BEAMFORM_REDUCTION_H

#include <stdint.h>

#include <saccade/beamform.h>

#include "base/error.h"
#include "base/host_device.h"

typedef enum sac_reduction_kind {
    SAC_REDUCE_SUM = 0,
    SAC_REDUCE_CF,
    SAC_REDUCE_GCF,
    SAC_REDUCE_SCF,
    SAC_REDUCE_DMAS,
    SAC_REDUCE_SLSC,
    SAC_REDUCE_MV
} sac_reduction_kind;

/* `over` is not SAC_OVER_AUTO; SAC_OVER_ALL of CF, SCF and DMAS alone, whose M is then the elements
 * times the transmits. */
typedef struct sac_reduction {
    sac_reduction_kind kind;
    sac_reduction_over over;
    double amount;  /* M0, P, Q or L, as above */
    double loading; /* of MV */
} sac_reduction;

SAC_HOST_DEVICE static inline int32_t sac_reduction_count(const sac_reduction *r, int32_t m,
                                                          int32_t most)
{
    const double n = r->amount < 1 ? r->amount * m : r->amount;
    const int32_t whole = n < most ? (int32_t)n : most;
    return whole > 1 ? whole : 1;
}

/* Q and L of M signals. */
SAC_HOST_DEVICE static inline int32_t sac_reduction_lags(const sac_reduction *r, int32_t m)
{
    return sac_reduction_count(r, m, m - 1);
}

SAC_HOST_DEVICE static inline int32_t sac_reduction_length(const sac_reduction *r, int32_t m)
{
    return sac_reduction_count(r, m, (m + 1) / 2);
}

/* The definition: n signals, real and imaginary parts. scratch: 2 L (L + 2) of MV. */
SAC_INTERNAL void sac_reduce(double out[2], const double (*x)[2], int32_t n,
                             const sac_reduction *reduction, double *scratch);

#endif
