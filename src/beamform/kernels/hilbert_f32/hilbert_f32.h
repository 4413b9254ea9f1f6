/*
 * hilbert_f32: the envelope of real samples down columns, by a Hilbert transformer.
 *
 *     out[n, x] = sqrt(in[n, x]^2 + q[n, x]^2)
 *     q[n, x]   = sum over odd k of g[k] (in[n - k, x] - in[n + k, x]),   1 <= k <= 31
 *
 * in is 0 outside rows 0 .. n_rows - 1. g[k] = 2 / (pi k) times the Kaiser window for 60 dB: a
 * linear-phase FIR of 63 taps (type III: odd symmetry) without delay. From 0.035 to 0.465 cycles a
 * row its magnitude, and with it the envelope, is right within 0.15 %; below and above it falls to
 * 0 and |in| is left (docs/numerics.md).
 *
 * in and out (n_rows, w), rows in_row and out_row bytes apart, of any sign; no overlap.
 *
 * Tolerance: 64 2^-24 M, M the largest |in| of the column. What touches a NaN or an infinite sample
 * is not finite, and nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_HILBERT_F32_H
#define SAC_BEAMFORM_HILBERT_F32_H

#include "room/variant.h"

#define SAC_HILBERT_TAPS 16 /* g[1], g[3] .. g[31] */

typedef struct sac_hilbert {
    double exact[SAC_HILBERT_TAPS];
    float tap[SAC_HILBERT_TAPS];
} sac_hilbert;

SAC_INTERNAL void sac_hilbert_init(sac_hilbert *hilbert);

typedef void sac_hilbert_f32_function(float *out, ptrdiff_t out_row, const float *in,
                                      ptrdiff_t in_row, int64_t w, int64_t n_rows,
                                      const sac_hilbert *hilbert);
typedef sac_hilbert_f32_function *sac_hilbert_f32_fn;

sac_hilbert_f32_function sac_hilbert_f32_ref, sac_hilbert_f32_plain, sac_hilbert_f32_auto_v3,
    sac_hilbert_f32_auto_v4, sac_hilbert_f32_avx2, sac_hilbert_f32_avx512, sac_hilbert_f32_neon;

SAC_INTERNAL extern const sac_room sac_hilbert_f32_room;

#endif
