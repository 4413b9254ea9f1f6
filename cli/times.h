/*
 * Many short times: counted, so that memory does not grow with them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_TIMES_H
#define CLI_TIMES_H

#include <stdint.h>

#define CLI_TIMES_BUCKETS (57 * 256) /* exact below 512 ns, then 256 to a doubling: 0.4 % */

typedef struct cli_times {
    uint64_t count[CLI_TIMES_BUCKETS], n;
    int64_t max_ns;
} cli_times;

/* A time of at least 0. */
void cli_times_add(cli_times *times, int64_t ns);

/* The time that a share of all, 0..1, does not exceed; 0 where there are none. */
double cli_times_quantile(const cli_times *times, double share);

#endif
