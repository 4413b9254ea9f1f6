/*
 * dual_f32: a row of points in the second of two stages (beamform/dual.h), across the lines that
 * receive.
 *
 *     out[i] = sum over t and k of c[t, k] images[plane(t), t, row(t) + first + k, i],
 *     i = 0..n-1, k = 0..n(t)-1
 *
 * out (2, n): real parts, then imaginary ones. images (n_planes, n_tx, n_depths, 2, n), taps
 * (n_tx), contiguous, no overlap; n(t) is 1 or 4, and all rows are there.
 *
 * Tolerance: in single precision one after another, m 2^-24 times the sum of the terms' magnitudes,
 * m = 2 sum of n(t) of them in each part.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DUAL_F32_H
#define SAC_BEAMFORM_DUAL_F32_H

#include "room/variant.h"

#define SAC_DUAL_TAPS 4

/* What a point takes of a wave's image in a plane, for all depths. */
typedef struct sac_dual_taps {
    int32_t row, plane, n; /* the first of n samples, from the first depth of the volume */
    float re[SAC_DUAL_TAPS], im[SAC_DUAL_TAPS]; /* with the transmit's weight */
    double shift;                               /* in steps of the first stage's depths */
} sac_dual_taps;

typedef struct sac_dual_size {
    int64_t n, n_depths, first;
    int32_t n_tx;
} sac_dual_size;

typedef void sac_dual_f32_function(float *out, const float *images, const sac_dual_taps *taps,
                                   const sac_dual_size *size);
typedef sac_dual_f32_function *sac_dual_f32_fn;

/* The samples of wave t from its first on: each (2, n). */
static inline const float *sac_dual_samples(const float *images, const sac_dual_taps *taps,
                                            const sac_dual_size *size, int32_t t)
{
    const int64_t image = (int64_t)taps[t].plane * size->n_tx + t;
    return images + (image * size->n_depths + taps[t].row + size->first) * 2 * size->n;
}

sac_dual_f32_function sac_dual_f32_ref, sac_dual_f32_plain, sac_dual_f32_auto_v3,
    sac_dual_f32_auto_v4, sac_dual_f32_avx2, sac_dual_f32_avx512, sac_dual_f32_neon;

SAC_INTERNAL extern const sac_room sac_dual_f32_room;

#endif
