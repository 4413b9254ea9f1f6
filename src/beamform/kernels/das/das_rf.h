/*
 * das_rf_f32, das_rf_i16: delay-and-sum of real samples, as saccade/beamform.h defines it and
 * beamform/kernels/das/das.h lays it out.
 *
 *     out[p, t] = sum over r of w(r, p) f(t, r, s)          LRIs (lri)
 *     out[p]    = sum over t of a(t) out[p, t]              compounded
 *
 *     s = (tau_tx(t, p) - t0(t) + tau_rx(r, p)) fs          samples
 *
 * out: (n_points, n_images, n_frames) f32, contiguous. Tolerance, relative L2 error over a call on
 * white noise, derived in docs/numerics.md: 1e-6 for what ships, whose delays are computed in
 * double or split into whole samples and the rest; 2e-5 + 1.2e-7 n_samples for rungs that keep a
 * delay in one float (SAC_TIER_FP32). Where a delay lies within sac_das_rf_slack of a place where f
 * jumps (a record's ends, nearest: a half), either side may be taken. A sample that is no finite
 * number reaches the outputs of its frame that take it, and no other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_RF_H
#define SAC_BEAMFORM_DAS_RF_H

#include "beamform/kernels/das/das.h"
#include "room/variant.h"

/* How far from a jump of f a rung may take its other side, in samples. */
static inline double sac_das_rf_slack(const sac_das *das)
{
    return 0x1p-20 + 0x1p-21 * das->n_samples;
}

#endif
