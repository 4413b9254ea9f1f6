/*
 * envelope_c64: the magnitude of complex samples.
 *
 *     out[i] = sqrt(re[i]^2 + im[i]^2),  i = 0..n-1
 *
 * in (n) c64, out (n), contiguous, no overlap. In double precision and rounded once at the end:
 * the squares are exact, nothing overflows, and every variant gives the same bytes. NaN where
 * either part is NaN, else infinite where either is.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ENVELOPE_C64_H
#define SAC_BEAMFORM_ENVELOPE_C64_H

#include "room/variant.h"

typedef void sac_envelope_c64_function(float *out, const float *in, int64_t n);
typedef sac_envelope_c64_function *sac_envelope_c64_fn;

sac_envelope_c64_function sac_envelope_c64_ref, sac_envelope_c64_auto_v3, sac_envelope_c64_auto_v4,
    sac_envelope_c64_neon;

SAC_INTERNAL extern const sac_room sac_envelope_c64_room;

#endif
