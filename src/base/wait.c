/*
 * Spinning, sleeping on a word, waking.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/wait.h"

#include <time.h>

#include "base/clock.h"
#include "base/relax.h"
#include "base/system.h"

#define LOOKS 64 /* between two readings of the clock */

#if SAC_LINUX
#include <sys/syscall.h>
#include <unistd.h>

/* <linux/futex.h>, which not every C library comes with. */
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_PRIVATE = 128 };

static void doze(_Atomic uint32_t *asleep, bool is_shared, sac_ready_fn ready, const void *of,
                 int64_t ns)
{
    const struct timespec limit = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    (void)ready;
    (void)of;
    (void)syscall(SYS_futex, asleep, FUTEX_WAIT | (is_shared ? 0 : FUTEX_PRIVATE), 1,
                  ns == SAC_FOREVER ? NULL : &limit, NULL, 0);
}

static void rouse(_Atomic uint32_t *asleep, bool is_shared)
{
    (void)syscall(SYS_futex, asleep, FUTEX_WAKE | (is_shared ? 0 : FUTEX_PRIVATE), 1, NULL, NULL,
                  0);
}
#else
#define FIRST_NAP_NS 20000
#define LAST_NAP_NS 1000000

/* POSIX has nothing that sleeps on a word and that a signal handler may wake: naps, each twice as
 * long as the one before. sac_wake changes the word. */
static void doze(_Atomic uint32_t *asleep, bool is_shared, sac_ready_fn ready, const void *of,
                 int64_t ns)
{
    int64_t nap_ns = FIRST_NAP_NS;
    (void)is_shared;
    while (ns > 0 && atomic_load(asleep) != 0 && !ready(of)) {
        const struct timespec nap = {.tv_nsec = (long)(nap_ns < ns ? nap_ns : ns)};
        if (nanosleep(&nap, NULL) != 0)
            return;
        ns -= nap_ns;
        nap_ns = 2 * nap_ns < LAST_NAP_NS ? 2 * nap_ns : LAST_NAP_NS;
    }
}

static void rouse(const _Atomic uint32_t *asleep, bool is_shared)
{
    (void)asleep;
    (void)is_shared;
}
#endif

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
    atomic_store(asleep, 1);
    if (!ready(of))
        doze(asleep, is_shared, ready, of, ns);
    atomic_store(asleep, 0);
    return ready(of);
}

void sac_wake(_Atomic uint32_t *asleep, bool is_shared)
{
    if (atomic_load(asleep) != 0 && atomic_exchange(asleep, 0) != 0)
        rouse(asleep, is_shared);
}
