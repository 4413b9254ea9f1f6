/*
 * das_iq_f32 with vectors, for sets without a file of their own: several frames, linear
 * interpolation, zero outside; the rest is the plain code's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_iq_f32.h"
#include "das_iq_f32_frames.h"

void sac_das_iq_f32_simd(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
#if defined(__AVX2__)
    sac_das_function *const otherwise = sac_das_iq_f32_auto_v3;
#else
    sac_das_function *const otherwise = sac_das_iq_f32_precise;
#endif
    if (das->n_packed == 1 || !is_covered(das)) {
        otherwise(out, das, first, n_points);
        return;
    }
    ptrdiff_t step = (ptrdiff_t)2 * sac_das_images(das) * das->n_frames;
    arrivals tx;
    for (tx.first = 0; tx.first < das->n_tx; tx.first += TRANSMITS) {
        tx.n = das->n_tx - tx.first < TRANSMITS ? das->n_tx - tx.first : TRANSMITS;
        for (int32_t i = 0; i < n_points; i += POINTS) {
            int32_t some = n_points - i < POINTS ? n_points - i : POINTS;
            sum_frames(out + i * step, das, &tx, first + i, some);
        }
    }
}
