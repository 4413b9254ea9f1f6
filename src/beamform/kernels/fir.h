/*
 * What the linear-phase filters share: the Kaiser window that makes a finite filter of an ideal
 * one.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_FIR_H
#define SAC_BEAMFORM_FIR_H

#include "base/error.h"

/* Kaiser's design rules for a ripple of 60 dB: beta = 0.1102 (60 - 8.7), and N - 1 = (60 - 7.95) /
 * (2.285 * 2 pi df) taps for a transition of df, in cycles a sample (Oppenheim and Schafer). */
#define SAC_KAISER_BETA 5.65326
#define SAC_KAISER_TAPS 3.62532 /* (N - 1) df */

/* The Kaiser window at x in [-1, 1]: I0(beta sqrt(1 - x^2)) / I0(beta). */
SAC_INTERNAL double sac_kaiser(double x);

#endif
