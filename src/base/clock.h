/*
 * Time, in nanoseconds of the monotonic clock.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_CLOCK_H
#define SAC_BASE_CLOCK_H

#include "base/error.h"

SAC_INTERNAL int64_t sac_clock_ns(void);

/* Asleep until then, or somewhat later, whatever signals come. */
SAC_INTERNAL void sac_clock_sleep_until(int64_t ns);

#endif
