/*
 * Which windows are weighed in single precision, as the form of `points` for a plane has them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_TAPERS_H
#define SAC_BEAMFORM_DAS_TAPERS_H

#include <saccade/beamform.h>

#include "base/host_device.h"

/* Whether that is as good as the rest, of delays in double or not: a steep edge makes much of u's
 * rounding. */
SAC_HOST_DEVICE static inline bool sac_das_tapers_in(const sac_apodization *a, bool is_double)
{
    const double least = is_double ? 0.2 : 0.02;
    return a->f_number <= 0 || a->window != SAC_WINDOW_TUKEY || a->taper > least;
}

#endif
