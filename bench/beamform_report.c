/*
 * bench_beamform: times of calls, what is judged, and rows as a table and as JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "beamform_bench.h"
#include "base/clock.h"
#include "base/timings.h"

void bench_take_times(bench_row *row, int64_t *ns, int32_t n)
{
    sac_timings_sort(ns, n);
    row->median_ns = (double)sac_timings_at(ns, n, 0.5);
    row->p10_ns = (double)sac_timings_at(ns, n, 0.1);
    row->p90_ns = (double)sac_timings_at(ns, n, 0.9);
    row->n_runs = n;
}

void bench_time_calls(bench_row *row, void (*call)(const void *job), const void *job,
                      double seconds)
{
    int64_t ns[BENCH_MAX_RUNS], began = sac_clock_ns();
    int32_t n = 0;
    while (n < BENCH_MAX_RUNS &&
           (n < BENCH_MIN_RUNS || (double)(sac_clock_ns() - began) < seconds * 1e9)) {
        const int64_t start = sac_clock_ns();
        call(job);
        ns[n++] = sac_clock_ns() - start;
    }
    bench_take_times(row, ns, n);
}

/* src/beamform/ladder/check.c's: on white noise of 8,192 samples. */
void bench_judge(bench *b, const bench_row *row, sac_tier tier)
{
    static const double bounds[] = {
        [SAC_TIER_EXACT] = 2e-6, [SAC_TIER_FP32] = 3e-4, [SAC_TIER_FAST] = 1.3e-3};
    if (row->error <= bounds[tier])
        return;
    b->n_wrong++;
    fprintf(stderr, "bench_beamform: %s: %s: error %.3g, expected at most %.3g\n",
            row->work->c->name, row->what, row->error, bounds[tier]);
}

static const char *const heads[] = {"<",     "<",  "median", "p10-p90", "points/s", "active/s",
                                    "issue", "L1", "memory", "error",   "mach",     "ffdas"};
enum { N_HEADS = sizeof heads / sizeof heads[0] };

static void put_share(cli_table *rows, int column, const bench_row *row, double bound_ns)
{
    if (bound_ns > 0)
        cli_table_cell(rows, column, "%.3g%%", 100 * bound_ns / row->median_ns);
}

static void put_peer(cli_table *rows, int column, const bench_row *row, double peer_ms)
{
    if (row->has_peers && peer_ms > 0)
        cli_table_cell(rows, column, "%g ms, %.2fx", peer_ms, peer_ms * 1e6 / row->median_ns);
}

static void put_cells(cli_table *rows, const bench_row *row)
{
    const bench_case *c = row->work->c;
    const double seconds = row->median_ns * 1e-9;
    cli_table_row(rows);
    cli_table_cell(rows, 0, "%s", c->name);
    cli_table_cell(rows, 1, "%s: %s", row->device, row->what);
    cli_table_time(rows, 2, row->median_ns);
    cli_table_spread(rows, 3, row->p10_ns, row->p90_ns);
    if (row->is_das) {
        cli_table_cell(rows, 4, "%.3g", (double)row->work->all / seconds);
        cli_table_cell(rows, 5, "%.3g", (double)row->work->active / seconds);
    }
    put_share(rows, 6, row, row->issue_ns);
    put_share(rows, 7, row, row->l1_ns);
    put_share(rows, 8, row, row->memory_ns);
    if (!(row->error < 0)) /* not a number, too */
        cli_table_cell(rows, 9, "%.2g", row->error);
    put_peer(rows, 10, row, c->mach_ms);
    put_peer(rows, 11, row, row->is_half ? c->ffdas_half_ms : c->ffdas_ms);
}

/* Of a row that is next to A, B or C. */
static void put_next_to(cli_json *json, const bench_row *row)
{
    const char kind[] = {row->kind, '\0'};
    cli_json_string(json, "configuration", row->work->c->about);
    cli_json_string(json, "kind", kind);
    cli_json_real(json, "share_of_kind", row->share);
    cli_json_real(json, "open_ns", row->open_ns);
    if (row->wanted_ns > 0)
        cli_json_real(json, "wanted_ns", row->wanted_ns);
    if (row->predicted_ns > 0)
        cli_json_real(json, "predicted_ns", row->predicted_ns);
}

void bench_put_json(cli_json *json, const bench_row *row)
{
    const bench_case *c = row->work->c;
    cli_json_object(json, NULL);
    cli_json_string(json, "pipeline", "beamform");
    cli_json_string(json, "task", c->name);
    cli_json_string(json, "what", row->what);
    cli_json_string(json, "rung", row->rung);
    cli_json_string(json, "device", row->device);
    if (row->n_threads > 0)
        cli_json_int(json, "threads", row->n_threads);
    cli_json_times(json, row->median_ns, row->p10_ns, row->p90_ns);
    cli_json_int(json, "runs", row->n_runs);
    if (row->is_das) {
        cli_json_uint(json, "points", row->work->all);
        cli_json_uint(json, "active_points", row->work->active);
    }
    if (row->clock_hz > 0) {
        cli_json_real(json, "clock_hz", row->clock_hz);
        cli_json_real(json, "issue_ns", row->issue_ns);
        cli_json_real(json, "l1_ns", row->l1_ns);
    }
    if (row->memory_ns > 0)
        cli_json_real(json, "memory_ns", row->memory_ns);
    if (!(row->error < 0))
        cli_json_real(json, "error", row->error);
    if (row->has_peers && c->mach_ms > 0) {
        cli_json_real(json, "mach_ns", c->mach_ms * 1e6);
        cli_json_real(json, "ffdas_ns", c->ffdas_ms * 1e6);
        cli_json_real(json, "ffdas_half_ns", c->ffdas_half_ms * 1e6);
    }
    if (row->kind)
        put_next_to(json, row);
    cli_json_end_object(json);
}

void bench_open_table(bench *b)
{
    cli_table_open(&b->table, heads, N_HEADS);
}

void bench_report(bench *b, const bench_row *row)
{
    put_cells(&b->table, row);
    bench_put_json(&b->json, row);
    if (row->clock_hz > 0)
        b->clock_hz = row->clock_hz;
}
