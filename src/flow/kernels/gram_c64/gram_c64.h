/*
 * gram_c64: the matrix of the products of frames, which an SVD filter decomposes.
 *
 *     g[i][j] += sum over p of conj(x[i][p]) x[j][p],   first <= i < end, i <= j < n
 *
 * x n rows of n_points c64, `row` bytes apart; g (n, n) complex in double, (re, im), of which the
 * rest is left alone. No overlap. In single precision (tier fp32) products are summed over at most
 * SAC_GRAM_BLOCK points before they are added in double: within 64 2^-24 of the sum of
 * |x[i][p]| |x[j][p]|. The sum's order does not depend on first and end.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_GRAM_C64_H
#define SAC_FLOW_GRAM_C64_H

#include "room/variant.h"

#define SAC_GRAM_BLOCK 256 /* points */

typedef void sac_gram_c64_function(double *g, const float *x, ptrdiff_t row, int64_t n_points,
                                   int32_t n, int32_t first, int32_t end);
typedef sac_gram_c64_function *sac_gram_c64_fn;

sac_gram_c64_function sac_gram_c64_ref, sac_gram_c64_avx2, sac_gram_c64_avx512, sac_gram_c64_neon;

SAC_INTERNAL extern const sac_room sac_gram_c64_room;

#endif
