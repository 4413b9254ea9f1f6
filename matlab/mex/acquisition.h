/*
 * Acquisitions: MATLAB's structs as the library's, and back.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MATLAB_ACQUISITION_H
#define SACCADE_MATLAB_ACQUISITION_H

#include "face.h"

#include <saccade/recording.h>

/* Channel data and how they were acquired, both valid until the end of the call. */
typedef struct mat_channels {
    sac_array samples; /* (n_frames, n_transmits, n_elements, n_samples) */
    const sac_acquisition *acquisition;
    const char *note; /* what was assumed; or "" */
} mat_channels;

/*
 * `rf` is (n_samples, n_elements, n_transmits, n_frames) of int16, single or complex single, or
 * (n_samples, n_elements, n_frames) of one transmit; double becomes single, with a warning.
 * `acquisition` is MUST's struct, or one as mat_acquisition_new makes it.
 */
mat_channels mat_channels_take(const mxArray *rf, const mxArray *acquisition);

/* The same of a struct without samples: saccade's alone. */
const sac_acquisition *mat_acquisition_take(const mxArray *value);

#define MAX_TRANSMITS 65536 /* as sac_acquisition_check has it */

/* transmits.c: the field `transmits` of an acquisition whose elements are taken; and back. */
void mat_transmits_take(sac_acquisition *a, const mxArray *value);
mxArray *mat_transmits_new(const sac_acquisition *a);

/* A new struct of an acquisition. */
mxArray *mat_acquisition_new(const sac_acquisition *a);

/* The samples as MATLAB's (n_samples, n_elements, n_transmits, n_frames). A copy. */
mxArray *mat_channels_new(const sac_array *samples);

/* Scatterers as (n, 4): x, y, z in metres, amplitude; and back. */
mxArray *mat_scatterers_new(const sac_scatterer *scatterers, int64_t n);
const sac_scatterer *mat_scatterers_take(const mxArray *value, int64_t *n);

#endif
