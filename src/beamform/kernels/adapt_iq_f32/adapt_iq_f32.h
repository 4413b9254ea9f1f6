/*
 * adapt_iq_f32: what a point's elements receive of complex samples, reduced by adaptive weights.
 * The signals are those that das_iq_f32 sums, das->reduction says what becomes of them
 * (beamform/kernels/das/reduction.h):
 *
 *     x[p, t, r] = w(r, p) exp(j turns 2 pi) f(t, r, s)     r: the elements in p's aperture
 *     out[p, t]  = reduce over r of x[p, t, r]              over transmits, LRIs (lri)
 *     out[p]     = sum over t of a(t) out[p, t]             over transmits, compounded
 *     out[p]     = reduce over r of sum over t of a(t) x    over elements after compounding
 *     out[p]     = reduce over t and r of a(t) x            over all
 *
 * out: (n_points, n_images) c64; one frame, n_packed 1. lri: over transmits only. Tolerance,
 * relative L2 error over a call on white noise (relative to the norm that noise leaves by its order,
 * since in a few values it may cancel; of MV to 0.3 of the signals'), of the signals' e, 5e-6 at SAC_TIER_EXACT and 2e-5
 * + 3e-8 n_samples at SAC_TIER_FP32: 4 e; of SCF 4 P sqrt(e), since signs turn where a signal is as
 * small as its error; of MV at SAC_TIER_FP32 1e-7 L / loading more, by the condition of R
 * (NOTES.md). Magnitudes from 1e-15 to 1e15. A sample that is no finite number reaches the outputs
 * that take it, and no other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_IQ_F32_H
#define SAC_BEAMFORM_ADAPT_IQ_F32_H

#include "beamform/kernels/das/das.h"
#include "room/variant.h"

#define SAC_ADAPT_LANES 16 /* at most, of a vector */
/* Bytes of what a vector of points receives of 8 elements, at most. */
#define SAC_ADAPT_CHUNK 2560

/* Floats of das->scratch, for any variant. */
SAC_INTERNAL size_t sac_adapt_scratch(const sac_das *das);

sac_das_function sac_adapt_iq_f32_ref, sac_adapt_iq_f32_plain, sac_adapt_iq_f32_avx2,
    sac_adapt_iq_f32_avx512, sac_adapt_iq_f32_neon;

SAC_INTERNAL extern const sac_room sac_adapt_iq_f32_room;

#endif
