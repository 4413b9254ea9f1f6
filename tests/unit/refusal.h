/*
 * Refusing the nth allocation, for tests that every failure of `open` is clean.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_REFUSAL_H
#define SAC_TESTS_REFUSAL_H

#include "base/alloc.h"

static int allowed; /* allocations until one is refused */

static inline bool allow_some(size_t bytes)
{
    (void)bytes;
    return allowed-- > 0;
}

/* From now on the n-th allocation, counted from 0, and all behind it are refused. */
static inline void refuse_from(int n)
{
    allowed = n;
    sac_alloc_hook(allow_some);
}

#endif
