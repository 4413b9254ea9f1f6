/*
 * bench_beamform: rows of configurations next to A, B and C, through plans.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fnmatch.h>
#include <string.h>

#include "beamform_rows.h"

#define SMALL_AXIS 9
#define SMALL_TRANSMITS 3

static const char *const heads[] = {
    "<",      "<",    "runs",  "median",        "p10-p90",   "active/s", "of kind",
    "memory", "open", "error", "wanted (H100)", "predicted", "<"};
enum { N_HEADS = sizeof heads / sizeof heads[0] };

bool bench_wants(const char *list, const char *name, const char *group)
{
    char one[64];
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(at, ","), at);
        if (fnmatch(one, name, 0) == 0 || (group && !strcmp(one, group)))
            return true;
    }
    return false;
}

int32_t bench_open_places(bench_place places[BENCH_MAX_PLACES], const bench *b, bool cpu,
                          bench_gpu *gpu)
{
    const int32_t n_threads = b->options->threads ? b->options->threads : sac_cpu_count();
    int32_t n = 0;
    if (cpu)
        places[n++] = (bench_place){.n_threads = 1};
    if (cpu && n_threads > 1)
        places[n++] = (bench_place){.n_threads = n_threads};
    if (gpu)
        places[n++] = (bench_place){.gpu = gpu};
    return n;
}

void bench_make_small(bench_case *c)
{
    const int32_t most = c->n_frames > 8 ? 1 : SMALL_TRANSMITS;
    for (int i = 0; i < 3; i++)
        c->grid.n[i] = c->grid.n[i] < SMALL_AXIS ? c->grid.n[i] : SMALL_AXIS;
    c->n_tx = c->n_tx < most ? c->n_tx : most;
}

/* On an H100, in ms; 0: nothing. */
static double wanted_ms(const bench_work *w)
{
    const double share = w->c->wanted_by_share ? (double)w->active / (double)w->all : 1;
    return w->c->wanted_ms * share;
}

static void put_cells(cli_table *table, const bench_row *row)
{
    const bench_work *w = row->work;
    const double wanted = wanted_ms(w);
    cli_table_row(table);
    cli_table_cell(table, 0, "%s", w->c->name);
    cli_table_cell(table, 1, "%s: %s", row->device, row->what);
    cli_table_cell(table, 2, "%d", row->n_runs);
    cli_table_time(table, 3, row->median_ns);
    cli_table_spread(table, 4, row->p10_ns, row->p90_ns);
    cli_table_cell(table, 5, "%.3g", (double)w->active / row->median_ns * 1e9);
    cli_table_cell(table, 6, "%.2f of %c", row->share, row->kind);
    if (row->memory_ns > 0)
        cli_table_cell(table, 7, "%.3g%%", 100 * row->memory_ns / row->median_ns);
    cli_table_time(table, 8, row->open_ns);
    if (!(row->error < 0))
        cli_table_cell(table, 9, "%.2g", row->error);
    if (wanted > 0)
        cli_table_cell(table, 10, "%.3g ms", wanted);
    else if (w->c->wanted)
        cli_table_cell(table, 10, "%s", w->c->wanted);
    if (row->predicted_ns > 0)
        cli_table_time(table, 11, row->predicted_ns);
    cli_table_cell(table, 12, "%s", row->rung);
}

static void run_row(bench *b, cli_table *table, bench_place *places, int32_t n_places,
                    const bench_case *c)
{
    char fault[BENCH_FAULT_SIZE];
    bench_work w;
    bench_row row;
    bench_open_geometry(&w, c);
    bench_open_data(&w);
    for (int32_t i = 0; i < n_places; i++) {
        if (!bench_measure(&row, fault, b, &places[i], &w, b->options->seconds)) {
            b->n_wrong++;
            fprintf(stderr, "bench_beamform: %s: %s: %s\n", c->name, places[i].gpu ? "cuda" : "cpu",
                    fault);
        }
        if (row.n_runs == 0) /* refused */
            continue;
        row.wanted_ns = 1e6 * wanted_ms(&w);
        put_cells(table, &row);
        bench_put_json(&b->json, &row);
    }
    bench_close_work(&w);
}

void bench_run_rows(bench *b, bench_place *places, int32_t n_places)
{
    cli_table table;
    cli_table_open(&table, heads, N_HEADS);
    for (int32_t i = 0; i < bench_n_rows; i++) {
        bench_case c = bench_rows[i];
        if (!bench_wants(b->options->only, c.name, "rows"))
            continue;
        if (b->options->small)
            bench_make_small(&c);
        fprintf(b->text, "%s: %s\n", c.name, c.about);
        fflush(b->text);
        run_row(b, &table, places, n_places, &c);
    }
    cli_table_print(&table, b->text);
}
