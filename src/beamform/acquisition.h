/*
 * An acquisition as the caller's program knows it, checked and taken.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ACQUISITION_H
#define SAC_BEAMFORM_ACQUISITION_H

#include <saccade/beamform.h>

#include "base/error.h"

/* Copies the struct, with defaults for what an older program's lacks, and checks all that
 * delay-and-sum needs. What it points to stays the caller's. SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_acquisition_take(sac_acquisition *own,
                                                           const sac_acquisition *callers,
                                                           sac_error *err);

/* The amplitude with which an element fires. */
static inline double sac_acquisition_amplitude(const sac_acquisition *a, int32_t transmit,
                                               int32_t element)
{
    return a->tx_apodization ? a->tx_apodization[(ptrdiff_t)transmit * a->n_elements + element] : 1;
}

/* How long element e is as a line, m; 0: it is none. */
static inline double sac_acquisition_line_m(const sac_acquisition *a, int32_t element)
{
    const int32_t shape = a->shapes ? a->shapes[element] : SAC_SHAPE_AREA;
    const sac_element *e = &a->elements[element];
    return shape == SAC_SHAPE_ROW ? e->width_m : shape == SAC_SHAPE_COLUMN ? e->height_m : 0;
}

/* Whether an element records a transmit's echoes. */
static inline bool sac_acquisition_receives(const sac_acquisition *a, int32_t transmit,
                                            int32_t element)
{
    return !a->receives || a->receives[(ptrdiff_t)transmit * a->n_elements + element];
}

#endif
