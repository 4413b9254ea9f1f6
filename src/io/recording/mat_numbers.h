/*
 * Numbers of MATLAB's classes, and as samples of ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_MAT_NUMBERS_H
#define SAC_IO_RECORDING_MAT_NUMBERS_H

#include <matio.h>

#include <saccade/array.h>

/* The type of a variable's numbers, of each part of complex ones; 0 for a class that has none. */
sac_dtype sac_mat_dtype(const matvar_t *v);

/* Number i of a real variable that is loaded. NaN for a class that has none. */
double sac_mat_number(const matvar_t *v, size_t i);

/* `n` numbers of a variable from number `from` on, into the samples at `to`. Returns whether they
 * all are whole and fit int16. */
bool sac_mat_convert(const sac_array *samples, size_t to, const matvar_t *v, size_t from, size_t n);

/* f32 that are whole numbers become int16, where they are. */
void sac_mat_narrow(sac_array *samples);

#endif
