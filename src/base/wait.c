/*
 * Spinning, sleeping on a word, waking.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/relax.h"

#define LOOKS 64 /* between two readings of the clock */

bool sac_spin(sac_ready_fn ready, const void *of, int64_t ns)
{
    int64_t until = 0;
    while (ns != 0) {
        for (int i = 0; i < LOOKS; i++) {
            if (ready(of))
                return true;
            sac_relax();
        }
        if (ns == SAC_FOREVER)
            continue;
        const int64_t now = sac_clock_ns();
        until = until ? until : now + ns;
        if (now >= until)
            return false;
    }
    return false;
}

bool sac_sleep(_Atomic uint32_t *asleep, bool is_shared, sac_ready_fn ready, const void *of,
               int64_t ns)
{
    const struct timespec limit = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    atomic_store(asleep, 1);
    if (!ready(of))
        (void)syscall(SYS_futex, asleep, is_shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, 1,
                      ns == SAC_FOREVER ? NULL : &limit, NULL, 0);
    atomic_store(asleep, 0);
    return ready(of);
}

void sac_wake(_Atomic uint32_t *asleep, bool is_shared)
{
    if (atomic_load(asleep) != 0 && atomic_exchange(asleep, 0) != 0)
        (void)syscall(SYS_futex, asleep, is_shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, 1, NULL, NULL,
                      0);
}
