/*
 * A histogram of times, linear within each doubling.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "times.h"

#include <math.h>

#define BITS 8 /* of a bucket's number within a doubling */

static int shift_of(uint64_t ns)
{
    int length = 64 - __builtin_clzll(ns | 1);
    return length > BITS + 1 ? length - BITS - 1 : 0;
}

void cli_times_add(cli_times *times, int64_t ns)
{
    int shift = shift_of((uint64_t)ns);
    uint64_t bucket = ((uint64_t)shift << BITS) + ((uint64_t)ns >> shift);
    times->count[bucket]++;
    times->n++;
    times->max_ns = ns > times->max_ns ? ns : times->max_ns;
}

/* The middle of a bucket. */
static double time_of(uint64_t bucket)
{
    uint64_t shift = bucket >> (BITS + 1) ? (bucket >> BITS) - 1 : 0;
    uint64_t within = bucket - (shift << BITS);
    return ldexp((double)within, (int)shift) + (shift ? 0.5 * (ldexp(1, (int)shift) - 1) : 0);
}

double cli_times_quantile(const cli_times *times, double share)
{
    double wanted = share * (double)times->n, sum = 0;
    for (uint64_t i = 0; i < CLI_TIMES_BUCKETS && times->n; i++) {
        sum += (double)times->count[i];
        if (times->count[i] && sum >= wanted) {
            return fmin(time_of(i), (double)times->max_ns);
        }
    }
    return (double)times->max_ns;
}
