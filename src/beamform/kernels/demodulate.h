/*
 * What the demodulate rooms share: RF records to IQ, their contract, and the filter made at open.
 *
 *     out[n] = 2 sum over k of h[k] x[n D - k] exp(-j 2 pi fd (n D - k) / fs),   |k| <= half
 *
 * x is 0 outside the record. h is a windowed sinc of unit sum, so that A cos(2 pi fd n / fs + phi)
 * comes out as A exp(j phi): docs/numerics.md has its pass band and ripple.
 *
 * Rows: out (n_rows, n_out) c64, each row contiguous, rows out_row bytes apart; in (n_rows,
 * n_samples), rows in_row and samples in_sample bytes apart; any sign, no overlap of out and in.
 * Writes every sample of out. Allocates nothing; several threads may share a plan.
 *
 * Tolerance: each component within 1.5 (n_taps + 6) 2^-24 sum|c| max|x| of the reference, c = 2 h;
 * about 1e-7 relative L2 error on white noise (docs/numerics.md). NaN and infinities reach the
 * outputs whose taps touch them, and no other.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DEMODULATE_H
#define SAC_BEAMFORM_DEMODULATE_H

#include <saccade/signal.h>

#include "base/error.h"
#include "room/variant.h"

#define SAC_DEMODULATE_LANES 32 /* outputs at a time */
#define SAC_DEMODULATE_MAX_TAPS 2047
#define SAC_DEMODULATE_SCRATCH 7168 /* floats: see blocks_of in demodulate.c */

typedef struct sac_demodulate_plan {
    int64_t n_samples, n_out;
    int32_t decimation;
    int32_t half;  /* taps k = -half .. half */
    double cycles; /* fd / fs */
    double *h;     /* (half + 1): h[|k|] */
    float sum;     /* of |c| */

    /* The fast forms: out[n] = turn[n] * sum over m of (re[m] + j im[m]) x[n D - half + m]. */
    float *re, *im;           /* (2 half + 1) */
    float *turn_re, *turn_im; /* (n_out, up to a multiple of the lanes) exp(-j 2 pi fd n D / fs) */
    int32_t *at;          /* (2 half + 1): where a block of samples, D apart, starts for tap m */
    int32_t block, pitch; /* outputs at a time; samples of each of the D phases */
} sac_demodulate_plan;

/* The widest band around fd that fits: between two multiples of fs / 2, and into fs / decimation.
 */
SAC_INTERNAL double sac_demodulate_widest_hz(double fs_hz, double fd_hz, int32_t decimation);

/* The narrowest band that a filter of at most SAC_DEMODULATE_MAX_TAPS keeps. */
SAC_INTERNAL double sac_demodulate_narrowest_hz(double fs_hz);

/* On failure there is nothing to close. SAC_E_INVALID names the field; SAC_E_NOMEM. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_demodulate_plan_open(sac_demodulate_plan *plan,
                                                               const sac_demodulation *demodulation,
                                                               int64_t n_samples, sac_error *err);
SAC_INTERNAL void sac_demodulate_plan_close(sac_demodulate_plan *plan);

typedef void sac_demodulate_function(float *out, ptrdiff_t out_row, const void *in,
                                     ptrdiff_t in_row, ptrdiff_t in_sample, int64_t n_rows,
                                     const sac_demodulate_plan *plan);
typedef sac_demodulate_function *sac_demodulate_fn;

/* The reference, of one row. */
SAC_INTERNAL void sac_demodulate_exact(float *out, const void *in, ptrdiff_t in_sample, bool is_i16,
                                       const sac_demodulate_plan *plan);

#endif
