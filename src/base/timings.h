/*
 * Repeated timings of one thing: sorted, then read off at any rank.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_TIMINGS_H
#define SAC_BASE_TIMINGS_H

#include "base/error.h"

SAC_INTERNAL void sac_timings_sort(int64_t *ns, int32_t n);

/* The sample below which a share p in [0, 1] of `n` sorted samples lies (nearest rank). */
SAC_INTERNAL int64_t sac_timings_at(const int64_t *ns, int32_t n, double p);

#endif
