/*
 * Windows in single precision: their edges, and which of them are weighed so.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_TAPERS_H
#define SAC_BEAMFORM_DAS_TAPERS_H

#include "beamform/kernels/das/das.h"

/* A window's edge: from u = flat on, by slope; never of a rect. */
typedef struct sac_das_taper {
    float flat, slope;
} sac_das_taper;

SAC_HOST_DEVICE static inline sac_das_taper sac_das_taper_of(const sac_apodization *a)
{
    sac_das_taper taper = {2, 1};
    if (a->window != SAC_WINDOW_RECT) {
        const float edge = a->window == SAC_WINDOW_HANN ? 1 : (float)a->taper;
        taper.flat = 1 - edge;
        taper.slope = 1 / edge;
    }
    return taper;
}

/* Whether that is as good as the rest, of delays in double or not: a steep edge makes much of u's
 * rounding. */
SAC_HOST_DEVICE static inline bool sac_das_tapers_in(const sac_apodization *a, bool is_double)
{
    const double least = is_double ? 0.2 : 0.02;
    return a->f_number <= 0 || a->window != SAC_WINDOW_TUKEY || a->taper > least;
}

#endif
