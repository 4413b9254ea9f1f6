/*
 * das_iq_f32 with vectors. A point's bytes do not depend on how many frames there are, nor on which
 * points are computed with it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_IQ_F32_VECTORS_H
#define SAC_BEAMFORM_DAS_IQ_F32_VECTORS_H

#include "das_iq_f32_frames.h"
#include "das_iq_f32_single.h"

/* `otherwise` does what is too large. */
static inline void sum_points(float *out, const sac_das *das, int64_t first, int32_t n_points,
                              sac_das_function *otherwise)
{
    if (!is_covered(das)) {
        otherwise(out, das, first, n_points);
        return;
    }
    ptrdiff_t step = (ptrdiff_t)2 * sac_das_images(das) * das->n_frames;
    arrivals tx;
    for (tx.first = 0; tx.first < das->n_tx; tx.first += TRANSMITS) {
        tx.n = das->n_tx - tx.first < TRANSMITS ? das->n_tx - tx.first : TRANSMITS;
        for (int32_t i = 0, some; i < n_points; i += some) {
            some = n_points - i < POINTS ? n_points - i : POINTS;
            if (das->n_packed > 1)
                sum_frames(out + i * step, das, &tx, first + i, some);
            else
                some = sum_single(out + i * step, das, &tx, first + i, some);
        }
    }
}

#endif
