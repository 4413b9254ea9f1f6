/*
 * The Kaiser window, in double precision.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/fir.h"

#include <math.h>

/* The modified Bessel function I0, by its power series: 30 terms are exact to double for x < 10. */
static double bessel_i0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k <= 30; k++) {
        double half = x / (2 * k);
        term *= half * half;
        sum += term;
    }
    return sum;
}

double sac_kaiser(double x)
{
    double inside = 1 - x * x;
    return bessel_i0(SAC_KAISER_BETA * sqrt(inside > 0 ? inside : 0)) / bessel_i0(SAC_KAISER_BETA);
}
