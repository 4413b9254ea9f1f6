/*
 * How one thread waits for another, of this process or of another: it spins, then sleeps on a word.
 *
 * The one that waits stores 1 in `asleep`, then asks ready(); the other stores what ready() loads,
 * then calls sac_wake, which loads `asleep`. All four are sequentially consistent, so that one of
 * the two sees the other: no wake-up is lost. Whoever changes `asleep` back to 0 says whether the
 * system is asked to wake.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_WAIT_H
#define SAC_BASE_WAIT_H

#include <stdatomic.h>

#include "base/error.h"

#define SAC_FOREVER INT64_MAX /* ns */

typedef bool (*sac_ready_fn)(const void *of);

/* True as soon as ready(of); false after `ns`, at once where that is 0. */
SAC_INTERNAL bool sac_spin(sac_ready_fn ready, const void *of, int64_t ns);

/* Sleeps once unless ready(of): until sac_wake, for `ns` at most, or until a signal comes; so the
 * caller loops. Whether it is ready. `is_shared`: the word is in memory of several processes. */
SAC_INTERNAL bool sac_sleep(_Atomic uint32_t *asleep, bool is_shared, sac_ready_fn ready,
                            const void *of, int64_t ns);

/* A signal handler may call it, too. */
SAC_INTERNAL void sac_wake(_Atomic uint32_t *asleep, bool is_shared);

#endif
