/*
 * lag_c64: power and autocorrelation of each point over an ensemble of frames (Kasai et al. 1985).
 *
 *     out[0][p] = 1/n         sum over i < n       of |x[i][p]|^2
 *     out[1..2][p] = 1/(n-lag) sum over i < n - lag of conj(x[i][p]) x[i + lag][p]     re, im
 *
 * x n rows of n_points c64, out 3 rows of f32, bytes apart as given; 0 <= lag < n. With lag 0 only
 * out[0] is written. No overlap. In double precision and rounded once at the end, in the order
 * written: every variant gives the same bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_LAG_C64_H
#define SAC_FLOW_LAG_C64_H

#include "room/variant.h"

typedef void sac_lag_c64_function(float *out, ptrdiff_t out_row, const float *x, ptrdiff_t row,
                                  int64_t n_points, int32_t n, int32_t lag);
typedef sac_lag_c64_function *sac_lag_c64_fn;

sac_lag_c64_function sac_lag_c64_ref, sac_lag_c64_auto_v3, sac_lag_c64_auto_v4;

SAC_INTERNAL extern const sac_room sac_lag_c64_room;

#endif
