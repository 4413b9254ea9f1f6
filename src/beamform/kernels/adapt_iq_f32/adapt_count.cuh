/*
 * How many signals a point has.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_COUNT_CUH
#define SAC_BEAMFORM_ADAPT_COUNT_CUH

#include "beamform/kernels/das/das_inline.h"

/* Elements in the aperture of the point at m. */
__device__ static inline int32_t sac_adapt_count(const sac_das *das, const double m[3])
{
    int32_t first, last, n = 0;
    double u2;
    sac_das_aperture_inline(&first, &last, das, m);
    if (das->apodization.f_number <= 0 || das->pitch_m > 0)
        return last - first;
    for (int32_t r = first; r < last; r++)
        n += sac_das_in_aperture(&u2, &das->apodization, &das->elements[r], m);
    return n;
}

#endif
