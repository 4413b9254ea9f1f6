/*
 * Times of a benchmark: runs at a rate; a row of a table, and all of the histogram as JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

#include <saccade/histogram.h>

#include "json.h"
#include "tables.h"

#define BENCH_WARM 1000 /* runs that are not counted, nor paced */

/* When the k-th run is due, once that is now; the first counted one is a millisecond ahead.
 * *begin_ns is kept between calls; rate_hz 0: each is due at once. */
int64_t bench_await_due(int64_t *begin_ns, int64_t k, double rate_hz);

#define BENCH_SHARES 6
#define BENCH_SHARE_HEADS "frames", "p50", "p90", "p99", "p99.9", "p99.99", "max"

/* How many there are, in a table's column, and six quantiles in those behind it. */
void bench_histogram_cells(cli_table *table, int column, const sac_histogram *histogram);

/* Members of an object: `time` with count and quantiles; bins that have any, by from_ns and count.
 */
void bench_histogram_json(cli_json *json, const sac_histogram *histogram);

#endif
