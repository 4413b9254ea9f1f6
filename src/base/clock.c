/*
 * The monotonic clock.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

int64_t sac_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void sac_clock_sleep_until(int64_t ns)
{
#ifdef __APPLE__ /* the one POSIX system without clock_nanosleep */
    for (int64_t left_ns; (left_ns = ns - sac_clock_ns()) > 0;) {
        const struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
        (void)nanosleep(&left, NULL);
    }
#else
    const struct timespec until = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
#endif
}
