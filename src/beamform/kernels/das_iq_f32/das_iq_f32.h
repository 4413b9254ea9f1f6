/*
 * das_iq_f32: delay-and-sum of complex samples, as saccade/beamform.h defines it and
 * beamform/kernels/das/das.h lays it out.
 *
 *     out[p, t] = sum over r of w(r, p) exp(j turns 2 pi) f(t, r, s)      LRIs (lri)
 *     out[p]    = sum over t of a(t) out[p, t]                            compounded
 *
 *     s     = (tau_tx(t, p) - t0(t) + tau_rx(r, p)) fs                    samples
 *     turns = sign fd (tau_tx + tau_rx - t0, or without t0)
 *
 * out: (n_points, n_images, n_frames) c64, interleaved, contiguous. Tolerance, relative L2 error
 * over a call on white noise, derived in docs/numerics.md: 1e-6 at SAC_TIER_EXACT, at SAC_TIER_FP32
 * 2e-5 + 3e-8 n_samples, and 1e-3 at SAC_TIER_FAST (half precision, on a GPU). A sample that is no
 * finite number reaches the outputs of its frame that take it, and no other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_H
#define SAC_BEAMFORM_DAS_IQ_F32_H

#include "beamform/kernels/das/das.h"
#include "room/variant.h"

sac_das_function sac_das_iq_f32_ref, sac_das_iq_f32_precise, sac_das_iq_f32_auto_v3,
    sac_das_iq_f32_auto_v4, sac_das_iq_f32_avx2, sac_das_iq_f32_avx512, sac_das_iq_f32_neon;

/* libsaccade-ladder */
sac_das_function sac_das_iq_f32_two_step;

SAC_INTERNAL extern const sac_room sac_das_iq_f32_room;

#endif
