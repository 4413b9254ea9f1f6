/*
 * What saccade jitter says: a table that explains itself, or JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>

#include "report.h"
#include "tables.h"

static const double shares[] = {0.5, 0.99, 0.999, 0.9999};
static const char *const keys[] = {"p50_ns", "p99_ns", "p999_ns", "p9999_ns"};
enum { N_SHARES = sizeof shares / sizeof *shares };

static const int64_t limits_ns[] = {1000, 10000, 100000, 1000000, 10000000};
enum { N_LIMITS = sizeof limits_ns / sizeof *limits_ns };

cli_jitter_tail cli_jitter_beyond(const sac_histogram *gaps, int64_t ns)
{
    cli_jitter_tail tail = {0};
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++) {
        sac_histogram_bin bin = sac_histogram_get_bin(gaps, i);
        if (bin.from_ns >= ns) {
            tail.count += (double)bin.count;
            tail.ns += 0.5 * (double)bin.count * (double)(bin.from_ns + bin.to_ns - 1);
        }
    }
    return tail;
}

static void put_row(cli_table *table, const char *name, const sac_histogram *h)
{
    cli_table_row(table);
    cli_table_cell(table, 0, "%s", name);
    cli_table_cell(table, 1, "%" PRId64, sac_histogram_get_count(h));
    for (int i = 0; i < N_SHARES; i++) {
        cli_table_time(table, 2 + i, sac_histogram_get_quantile(h, shares[i]));
    }
    cli_table_time(table, 2 + N_SHARES, (double)sac_histogram_get_max(h));
}

static void print_quantiles(const cli_jitter_seen *j)
{
    static const char *const heads[] = {"<", "count", "p50", "p99", "p99.9", "p99.99", "max"};
    cli_table table;
    char *late = cli_text("late, %g Hz", j->desc.rate_hz);
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    put_row(&table, "gap", j->gaps);
    put_row(&table, late, j->late);
    cli_table_print(&table, stdout);
    puts("gap: from one reading of the clock to the next, in a thread that does nothing else");
    puts("late: delay after each scheduled time; a worker that spins here cannot answer faster\n");
    free(late);
}

static void print_tails(const cli_jitter_seen *j)
{
    static const char *const heads[] = {"<gaps longer than", "a second", "of the time"};
    cli_table table;
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    for (int i = 0; i < N_LIMITS; i++) {
        cli_jitter_tail tail = cli_jitter_beyond(j->gaps, limits_ns[i]);
        cli_table_row(&table);
        cli_table_time(&table, 0, (double)limits_ns[i]);
        cli_table_cell(&table, 1, "%.4g", tail.count / j->desc.seconds);
        cli_table_cell(&table, 2, "%.3g %%", 1e-7 * tail.ns / j->desc.seconds);
    }
    cli_table_print(&table, stdout);
    puts("of the time: the probability that a frame arrives during one");
}

static void print_machine(const cli_jitter_seen *j)
{
    char cpu[128];
    printf("%s, %d core%s; %g s ", sac_cpu_model(cpu, sizeof cpu), sac_cpu_count(),
           sac_cpu_count() == 1 ? "" : "s", j->desc.seconds);
    if (j->desc.cpu >= 0) {
        printf("on CPU %d", j->desc.cpu);
    } else {
        printf("on any CPU");
    }
    if (j->desc.priority > 0) {
        printf(", real-time priority %d", j->desc.priority);
    }
    if (j->load >= 0) {
        printf("; load average %.1f", j->load);
    }
    puts("\n");
}

void cli_jitter_print(const cli_jitter_seen *j)
{
    print_machine(j);
    print_quantiles(j);
    print_tails(j);
}

void cli_json_histogram(cli_json *json, const char *name, const sac_histogram *h)
{
    cli_json_object(json, name);
    cli_json_int(json, "count", sac_histogram_get_count(h));
    cli_json_real(json, "mean_ns", sac_histogram_get_mean(h));
    for (int i = 0; i < N_SHARES; i++) {
        cli_json_real(json, keys[i], sac_histogram_get_quantile(h, shares[i]));
    }
    cli_json_int(json, "max_ns", sac_histogram_get_max(h));
    cli_json_end_object(json);
}

int cli_jitter_json(const cli_jitter_seen *j, const char *path)
{
    cli_json json;
    cli_json_open_rows(&json, 0, (sac_device){0});
    cli_json_object(&json, NULL);
    cli_json_string(&json, "what", "jitter");
    cli_json_real(&json, "seconds", j->desc.seconds);
    cli_json_real(&json, "rate_hz", j->desc.rate_hz);
    cli_json_int(&json, "cpu", j->desc.cpu);
    cli_json_int(&json, "priority", j->desc.priority);
    if (j->load >= 0) {
        cli_json_real(&json, "load_average", j->load);
    }
    cli_json_histogram(&json, "gap", j->gaps);
    cli_json_histogram(&json, "late", j->late);
    cli_json_array(&json, "gaps_beyond");
    for (int i = 0; i < N_LIMITS; i++) {
        cli_jitter_tail tail = cli_jitter_beyond(j->gaps, limits_ns[i]);
        cli_json_object(&json, NULL);
        cli_json_int(&json, "ns", limits_ns[i]);
        cli_json_real(&json, "count", tail.count);
        cli_json_real(&json, "time_share", 1e-9 * tail.ns / j->desc.seconds);
        cli_json_end_object(&json);
    }
    cli_json_end_array(&json);
    cli_json_end_object(&json);
    return cli_json_write(&json, path);
}
