/*
 * What the literature has of a ladder's rungs: a table of its own, and rows of JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "rungs.h"

enum { RUNG, DEVICE, LAUNCH, OF, TIME, SPEEDUP, HERE, SOURCE, NOTE, N_COLUMNS };

static const char *const heads[N_COLUMNS] = {
    [RUNG] = "<published", [DEVICE] = "<device", [LAUNCH] = "<grid x block",
    [OF] = "<of",          [TIME] = "time",      [SPEEDUP] = "speed-up",
    [HERE] = "here",       [SOURCE] = "<source", [NOTE] = "<note"};

void cli_ladder_put_published(cli_json *json, const sac_ladder_row *row)
{
    if (row->published_ns > 0) {
        cli_json_real(json, "published_ns", row->published_ns);
    }
    if (row->published_loop_ns > 0) {
        cli_json_real(json, "published_h2d_ns", row->published_h2d_ns);
        cli_json_real(json, "published_d2h_ns", row->published_d2h_ns);
        cli_json_real(json, "published_loop_ns", row->published_loop_ns);
    }
    if (row->n_published == 0) {
        return;
    }
    cli_json_array(json, "published");
    for (int32_t i = 0; i < row->n_published; i++) {
        const sac_published *p = &row->published[i];
        const char *const texts[][2] = {
            {"device", p->device}, {"source", p->source}, {"of", p->of}, {"note", p->note}};
        cli_json_object(json, NULL);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            if (texts[k][1][0]) {
                cli_json_string(json, texts[k][0], texts[k][1]);
            }
        }
        cli_json_real(json, "ns", p->ns);
        cli_json_real(json, "times", p->times);
        cli_json_real(json, "speed_up", p->speed_up);
        if (p->grid > 0) {
            cli_json_uint(json, "grid", p->grid);
            cli_json_uint(json, "block", p->block);
        }
        cli_json_end_object(json);
    }
    cli_json_end_array(json);
}

void cli_ladder_fill_published(cli_table *table, const sac_ladder_row *row)
{
    for (int32_t i = 0; i < row->n_published; i++) {
        const sac_published *p = &row->published[i];
        cli_table_row(table);
        cli_table_cell(table, RUNG, "%s", i == 0 ? row->rung : "");
        cli_table_cell(table, DEVICE, "%s", p->device[0] ? p->device : "not given");
        cli_table_cell(table, OF, "%s", p->of);
        cli_table_time(table, TIME, p->ns);
        cli_table_cell(table, SPEEDUP, p->speed_up < 100 ? "%.3gx" : "%.0fx", p->speed_up);
        cli_table_cell(table, SOURCE, "%s", p->source);
        cli_table_cell(table, NOTE, "%s", p->note);
        if (p->grid > 0) {
            cli_table_cell(table, LAUNCH, "%u x %u", p->grid, p->block);
        }
        if (row->runs > 0) {
            cli_table_time(table, HERE, row->median_ns / p->times);
        }
    }
}

void cli_ladder_begin_published(cli_table *table)
{
    cli_table_open(table, heads, N_COLUMNS);
}

void cli_ladder_print_published(cli_table *table)
{
    if (table->n_rows > 0) {
        printf("\nPublished times, their speed-up over the source's first rung on that device, and "
               "the time here:\n");
    }
    cli_table_print(table, stdout);
}
