/*
 * Times of a benchmark, in text and in JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "histogram.h"

#include "jitter/report.h"

void bench_histogram_cells(cli_table *table, int column, const sac_histogram *h)
{
    static const double shares[BENCH_SHARES] = {0.5, 0.9, 0.99, 0.999, 0.9999, 1};
    char text[16];
    cli_table_cell(table, column, "%lld", (long long)sac_histogram_get_count(h));
    for (int i = 0; i < BENCH_SHARES; i++)
        cli_table_cell(table, column + 1 + i, "%s",
                       cli_time_text(text, sizeof text, sac_histogram_get_quantile(h, shares[i])));
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
