/*
 * bench_beamform: configurations by chance, through plans, next to A, B or C; the slowest first.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "beamform_random.h"

#define TIME_SHARE 0.1 /* of --seconds, for each */
#define POINTS_CPU 1e6 /* active, at least, where --points does not say */
#define POINTS_GPU 1e8

typedef struct result {
    bench_drawn drawn;
    bench_work work;
    bench_row row;
} result;

static const char *const heads[] = {"of kind",  "<",      "<configuration", "runs",  "median",
                                    "active/s", "active", "memory",         "error", "<"};
enum { N_HEADS = sizeof heads / sizeof heads[0] };

/* One that was refused stands last. */
static int compare_results(const void *a, const void *b)
{
    const result *const *x = a, *const *y = b;
    const double p = (*x)->row.n_runs ? (*x)->row.share : 1e9;
    const double q = (*y)->row.n_runs ? (*y)->row.share : 1e9;
    return (p > q) - (p < q);
}

static void put_cells(cli_table *table, const bench_row *row)
{
    const bench_work *w = row->work;
    cli_table_row(table);
    cli_table_cell(table, 0, "%.2f of %c", row->share, row->kind);
    cli_table_cell(table, 1, "%s", w->c->name);
    cli_table_cell(table, 2, "%s", w->c->about);
    cli_table_cell(table, 3, "%d", row->n_runs);
    cli_table_time(table, 4, row->median_ns);
    cli_table_cell(table, 5, "%.3g", (double)w->active / row->median_ns * 1e9);
    cli_table_cell(table, 6, "%.0f%%", 100 * (double)w->active / (double)w->all);
    if (row->memory_ns > 0)
        cli_table_cell(table, 7, "%.3g%%", 100 * row->memory_ns / row->median_ns);
    if (!(row->error < 0))
        cli_table_cell(table, 8, "%.2g", row->error);
    cli_table_cell(table, 9, "%s", row->rung);
}

/* One that was refused, failed or is wrong: how, what it is, and how to run it again. */
static void tell(bench *b, const result *r, const bench_place *place, double points,
                 const char *fault)
{
    char device[24] = "cpu";
    if (place->gpu)
        snprintf(device, sizeof device, "cuda:%d", bench_gpu_device(place->gpu).index);
    b->n_wrong++;
    fprintf(stderr, "bench_beamform: --random 1 %s --points %g --device %s: %s: %s\n",
            r->drawn.name, points, device, fault, r->drawn.about);
}

static void run_one(bench *b, result *r, bench_place *place, int32_t index, double points)
{
    char fault[BENCH_FAULT_SIZE];
    sac_error err = {0};
    if (bench_draw(&r->drawn, b->options->seed, index, points, &err)) {
        tell(b, r, place, points, err.text);
        return;
    }
    const bench_case *c = &r->drawn.c;
    fprintf(b->text, "%s: %s\n", r->drawn.name, r->drawn.about);
    fflush(b->text);
    bench_open_geometry(&r->work, c);
    bench_open_data(&r->work);
    r->work.all = (uint64_t)bench_count_points(c) * (uint64_t)c->n_rx * (uint64_t)c->n_tx *
                  (uint64_t)c->n_frames;
    r->work.active = (uint64_t)(r->drawn.share * (double)r->work.all);
    if (!bench_measure(&r->row, fault, b, place, &r->work, TIME_SHARE * b->options->seconds))
        tell(b, r, place, points, fault);
    bench_close_work(&r->work);
    bench_close_drawn(&r->drawn);
}

static void report(bench *b, result **results, int32_t n)
{
    cli_table table;
    int32_t n_timed = 0, n_half = 0, n_fifth = 0;
    cli_table_open(&table, heads, N_HEADS);
    qsort(results, (size_t)n, sizeof *results, compare_results);
    for (int32_t i = 0; i < n && results[i]->row.n_runs; i++) {
        const bench_row *row = &results[i]->row;
        put_cells(&table, row);
        bench_put_json(&b->json, row);
        n_timed++;
        n_half += row->share < 0.5;
        n_fifth += row->share < 0.4;
    }
    cli_table_print(&table, b->text);
    if (n_timed > 0)
        fprintf(b->text,
                "%d configurations: %.2f at least, %.2f in the median; %d below 0.5, %d below "
                "0.4; %d failed\n",
                n, results[0]->row.share, results[n_timed / 2]->row.share, n_half, n_fifth,
                b->n_wrong);
}

void bench_run_random(bench *b, bench_place *place)
{
    const bench_options *o = b->options;
    const double usual = place->gpu ? POINTS_GPU : POINTS_CPU;
    const double points = o->points > 0 ? o->points : usual;
    result **results = cli_grow(NULL, 0, (size_t)o->random, sizeof *results);
    for (int32_t i = 0; i < o->random; i++) {
        results[i] = cli_grow(NULL, 0, 1, sizeof *results[i]);
        run_one(b, results[i], place, o->skip + i, points);
    }
    report(b, results, o->random);
    for (int32_t i = 0; i < o->random; i++)
        free(results[i]);
    free(results);
}
