/*
 * Time, in nanoseconds of the monotonic clock.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_CLOCK_H
#define SAC_BASE_CLOCK_H

#include "base/error.h"

SAC_INTERNAL int64_t sac_clock_ns(void);

#endif
