/*
 * sum: along one axis, for every line.
 *
 *     out[m] = sum over k of in[k, m],  k = 0..n-1, m = 0..n_lines-1
 *
 * The order is the contract's, so that where the values lie does not change a byte: 16 partial
 * sums, value k added to partial sum k mod 16 in order, then folded: 8 and 8, 4 and 4, 2 and 2, 1
 * and 1. Rungs of the ladder have orders of their own. n = 0 gives 0.
 *
 * Error, absolute, e = 2^-24: (n/16 + 5) e sum |in[k, m]| for that order and 2 n e sum |in[k, m]|
 * for any (docs/numerics.md). NaN and infinities as they come.
 *
 * Strides are in scalars and may be negative; either in_k or in_m is often 1. Complex sums are two
 * real ones. Nothing overlaps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_SUM_H
#define SAC_BEAMFORM_SUM_H

#include <stddef.h>

#include "room/variant.h"

#define SAC_SUM_PARTS 16

typedef struct sac_sum_job {
    const float *in;
    ptrdiff_t in_k, in_m, out_m;
    int64_t n, n_lines;
} sac_sum_job;

typedef void sac_sum_function(float *out, const sac_sum_job *job);
typedef sac_sum_function *sac_sum_fn;

sac_sum_function sac_sum_ref, sac_sum_plain, sac_sum_auto_v3, sac_sum_auto_v4;

/* libsaccade-ladder; those that step through a copy take n of at most SAC_SUM_STEPS. */
#define SAC_SUM_STEPS 4096
#ifndef SAC_SUM_BLOCK
#define SAC_SUM_BLOCK 1024 /* values that `recursive` sums at a time */
#endif
sac_sum_function sac_sum_sequential, sac_sum_tree, sac_sum_conflict_free, sac_sum_first_add,
    sac_sum_pairwise, sac_sum_recursive;

SAC_INTERNAL extern const sac_room sac_sum_room;

#endif
