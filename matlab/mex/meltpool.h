/*
 * What functions for melt pools share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MATLAB_MELTPOOL_H
#define SACCADE_MATLAB_MELTPOOL_H

#include "face.h"

#include <saccade/meltpool.h>
#include <saccade/simulate_meltpool.h>

/* A struct of laser_on, counter, x, y, (n, 1) of int32 each. */
mxArray *mat_signals_new(const sac_meltpool_signals *signals, int64_t n);

/* n frames of columns, as MATLAB has them, to frames of rows; or, sizes exchanged, back. */
void mat_transpose(uint8_t *to, const uint8_t *from, int64_t rows, int64_t columns, int64_t n);

#endif
