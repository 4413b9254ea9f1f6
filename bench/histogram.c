/*
 * Times of a benchmark: when runs are due; in text and in JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "histogram.h"

#include "base/clock.h"
#include "base/relax.h"
#include "jitter/report.h"

#define LEAD_NS 1000000 /* before the first that is counted */

int64_t bench_await_due(int64_t *begin_ns, int64_t k, double rate_hz)
{
    const int64_t counted = k - BENCH_WARM;
    int64_t due = sac_clock_ns();
    if (counted == 0)
        *begin_ns = due + LEAD_NS;
    if (counted >= 0 && rate_hz > 0) {
        due = *begin_ns + (int64_t)((double)counted * 1e9 / rate_hz);
        while (sac_clock_ns() < due)
            sac_relax();
    }
    return due;
}

void bench_histogram_cells(cli_table *table, int column, const sac_histogram *h)
{
    static const double shares[BENCH_SHARES] = {0.5, 0.9, 0.99, 0.999, 0.9999, 1};
    cli_table_cell(table, column, "%lld", (long long)sac_histogram_get_count(h));
    for (int i = 0; i < BENCH_SHARES; i++)
        cli_table_time(table, column + 1 + i, sac_histogram_get_quantile(h, shares[i]));
}

void bench_histogram_json(cli_json *json, const sac_histogram *h)
{
    uint64_t from_ns[SAC_HISTOGRAM_BINS], count[SAC_HISTOGRAM_BINS];
    int32_t n = 0;
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++) {
        const sac_histogram_bin bin = sac_histogram_get_bin(h, i);
        from_ns[n] = (uint64_t)bin.from_ns;
        count[n] = (uint64_t)bin.count;
        n += bin.count > 0;
    }
    cli_json_histogram(json, "time", h);
    cli_json_uints(json, "from_ns", from_ns, n);
    cli_json_uints(json, "count", count, n);
}
