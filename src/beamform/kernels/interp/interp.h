/*
 * interp: layered interpolation at given delays, the first half of the two-step beamformer.
 *
 *     out[l, p] = f(in[l], delays[l, p]),  l = 0..n_layers-1, p = 0..n_points-1
 *
 * Where 0 <= s <= n - 1, with i = floor(s), u = s - i and a, b, c, d the samples i - 1 .. i + 2:
 *
 *     nearest  b if u < 1/2, else c
 *     linear   b + u (c - b)
 *     cubic    b + u/2 (c - a) + u^2/2 (2 a - 5 b + 4 c - d) + u^3/2 (3 (b - c) + d - a)
 *              (Catmull and Rom); linear where a or d lies outside of the record
 *
 * Elsewhere, NaN included, 0; or with SAC_OUTSIDE_CLAMP as at the nearer end, NaN as at the first.
 *
 * out (n_layers, n_points) and in (n_layers, n_samples), with a stride between layers and none
 * between points and samples; delays as out. n_samples 1 .. 2^31 - 1. Nothing overlaps. Memory
 * outside of the records is not read.
 *
 * Error, absolute, with M the largest magnitude of the samples and e = 2^-24: 0 for nearest, 6 e M
 * for linear, 24 e M for cubic (docs/numerics.md). What touches a NaN or an infinite sample is not
 * finite.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_INTERP_H
#define SAC_BEAMFORM_INTERP_H

#include <saccade/array.h>
#include <saccade/signal.h>

#include "room/variant.h"

typedef struct sac_interp_job {
    const void *in;     /* i16, f32, c64 */
    const void *delays; /* f32, f64; in samples */
    sac_dtype dtype, delays_dtype;
    ptrdiff_t in_layer, delays_layer, out_layer; /* bytes from a layer to the next */
    int64_t n_layers, n_points;
    int32_t n_samples;
    sac_interp interp;
    sac_outside outside;
} sac_interp_job;

/* out: f32; of c64 data c64. */
typedef void sac_interp_function(void *out, const sac_interp_job *job);
typedef sac_interp_function *sac_interp_fn;

sac_interp_function sac_interp_ref, sac_interp_plain, sac_interp_auto_v3, sac_interp_auto_v4,
    sac_interp_avx2, sac_interp_avx512, sac_interp_neon;

/* libsaccade-ladder; f32, linear */
sac_interp_function sac_interp_layered_naive, sac_interp_layered_point_first;

SAC_INTERNAL extern const sac_room sac_interp_room;

#endif
