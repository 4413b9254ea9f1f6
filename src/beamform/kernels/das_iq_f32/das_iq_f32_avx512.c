/*
 * das_iq_f32 with AVX-512: linear interpolation, zero outside; the rest is the plain code's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_iq_f32.h"
#include "das_iq_f32_frames.h"
#include "das_iq_f32_single.h"

void sac_das_iq_f32_avx512(float *out, const sac_das *das, int64_t first, int32_t n_points)
{
    if (!is_covered(das)) {
        sac_das_iq_f32_auto_v4(out, das, first, n_points);
        return;
    }
    ptrdiff_t step = (ptrdiff_t)2 * sac_das_images(das) * das->n_frames;
    arrivals tx;
    for (tx.first = 0; tx.first < das->n_tx; tx.first += TRANSMITS) {
        tx.n = das->n_tx - tx.first < TRANSMITS ? das->n_tx - tx.first : TRANSMITS;
        for (int32_t i = 0; i < n_points; i += POINTS) {
            int32_t some = n_points - i < POINTS ? n_points - i : POINTS;
            if (das->n_packed > 1)
                sum_frames(out + i * step, das, &tx, first + i, some);
            else
                sum_single(out + i * step, das, &tx, first + i, some);
        }
    }
}
