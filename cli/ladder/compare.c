/*
 * Rows of several machines' ladders, matched: the same room, rung, shape, task and launch.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bars.h"
#include "command.h"
#include "tables.h"
#include "videos.h"

/* Rows that are one: a row of each file, NULL where it has none. */
typedef struct match {
    cli_compared_row *row[CLI_COMPARED];
    const cli_compared_row *any; /* the first of them */
} match;

typedef struct comparison {
    cli_compared file[CLI_COMPARED];
    int n;
    match *matches; /* (n_matches) */
    size_t n_matches;
} comparison;

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool is_same_launch(const double a[6], const double b[6])
{
    bool same = true;
    for (int i = 0; i < 6; i++) {
        same = same && a[i] == b[i];
    }
    return same;
}

/* A task that one of them does not name is the room's first. */
static bool is_alike(const cli_compared_row *a, const cli_compared_row *b)
{
    return is_same(a->rung, b->rung) && is_same(a->room, b->room) && is_same(a->shape, b->shape) &&
           (!a->task || !b->task || is_same(a->task, b->task)) &&
           is_same_launch(a->launch, b->launch);
}

static void count_alike(cli_compared *file)
{
    for (size_t i = 0; i < file->n; i++) {
        for (size_t k = i; k-- > 0;) {
            if (is_alike(&file->rows[i], &file->rows[k])) {
                file->rows[i].nth = file->rows[k].nth + 1;
                break;
            }
        }
    }
}

static cli_compared_row *find(const cli_compared *file, const cli_compared_row *like)
{
    for (size_t i = 0; i < file->n; i++) {
        cli_compared_row *row = &file->rows[i];
        if (!row->is_matched && row->nth == like->nth && is_alike(row, like)) {
            return row;
        }
    }
    return NULL;
}

/* In the order of the first file, then of what the others have together. */
static void match_rows(comparison *c)
{
    for (int f = 0; f < c->n; f++) {
        for (size_t i = 0; i < c->file[f].n; i++) {
            cli_compared_row *row = &c->file[f].rows[i];
            match m = {.any = row};
            bool is_there = false;
            m.row[f] = row;
            for (int k = f + 1; k < c->n && !row->is_matched; k++) {
                cli_compared_row *other = find(&c->file[k], row);
                m.row[k] = other;
                is_there = is_there || other;
            }
            for (int k = f; k < c->n && is_there; k++) {
                if (m.row[k]) {
                    m.row[k]->is_matched = true;
                }
            }
            if (is_there) {
                c->matches =
                    cli_grow(c->matches, c->n_matches, c->n_matches + 1, sizeof *c->matches);
                c->matches[c->n_matches++] = m;
            }
        }
    }
}

/* The rung, and the launch shape where it was asked for: blocks and threads of each. */
static const char *rung_text(char *text, size_t size, const cli_compared_row *row)
{
    const double *l = row->launch;
    snprintf(text, size, "%s", row->rung);
    if (l[0] > 0) {
        snprintf(text, size, "%s, %.0f x %.0f", row->rung, l[0] * l[1] * l[2], l[3] * l[4] * l[5]);
    }
    return text;
}

static void fill_time(cli_table *table, int column, const cli_compared_row *row)
{
    char text[16];
    if (!row) {
        cli_table_cell(table, column, "-");
    } else if (row->median_ns > 0) {
        cli_table_cell(table, column, "%s%s", cli_time_text(text, sizeof text, row->median_ns),
                       row->has_failed ? " FAILED" : "");
    } else if (row->needs) {
        cli_table_cell(table, column, "needs %s", row->needs);
    } else {
        cli_table_cell(table, column, "%s", row->has_failed ? "FAILED" : "not run");
    }
}

static double published_of(const match *m)
{
    double ns = 0;
    for (int k = 0; k < CLI_COMPARED && ns == 0; k++) {
        ns = m->row[k] ? m->row[k]->published_ns : 0;
    }
    return ns;
}

/* Wrong results have no speed. */
static double time_of(const cli_compared_row *row)
{
    return row && !row->has_failed ? row->median_ns : 0;
}

static void fill_row(const comparison *c, cli_table *table, const match *m)
{
    char text[160];
    int column = 0;
    cli_table_row(table);
    cli_table_cell(table, column++, "%s", rung_text(text, sizeof text, m->any));
    for (int k = 0; k < c->n; k++) {
        fill_time(table, column++, m->row[k]);
        if (k > 0 && time_of(m->row[0]) > 0 && time_of(m->row[k]) > 0) {
            cli_table_cell(table, column, "%.2fx", m->row[0]->median_ns / m->row[k]->median_ns);
        }
        column += k > 0;
    }
    if (published_of(m) > 0) {
        cli_table_time(table, column, published_of(m));
    }
}

static bool is_one_table(const cli_compared_row *a, const cli_compared_row *b)
{
    return is_same(a->room, b->room) && is_same(a->shape, b->shape) &&
           (a->task == b->task || is_same(a->task, b->task));
}

static void print_tables(const comparison *c)
{
    const char *heads[1 + 2 * CLI_COMPARED] = {"<rung"};
    int n_heads = 1;
    for (int k = 0; k < c->n; k++) {
        heads[n_heads++] = c->file[k].path;
        if (k > 0) {
            heads[n_heads++] = "speed-up";
        }
    }
    heads[n_heads++] = "published";
    for (int k = 0; k < c->n; k++) {
        const cli_compared *f = &c->file[k];
        printf("%s: %s, commit %s\n", f->path, f->machine, f->commit ? f->commit : "unknown");
    }
    printf("Medians; the speed-up is over %s.\n", c->file[0].path);
    for (size_t i = 0; i < c->n_matches;) {
        const cli_compared_row *first = c->matches[i].any;
        cli_table table;
        cli_table_open(&table, heads, n_heads);
        printf("\n%s: %s%s%s\n", first->room, first->shape, first->task ? ", task " : "",
               first->task ? first->task : "");
        while (i < c->n_matches && is_one_table(first, c->matches[i].any)) {
            fill_row(c, &table, &c->matches[i++]);
        }
        cli_table_print(&table, stdout);
    }
}

/* What no other file has: a line a room and shape. */
static void print_alone(const comparison *c)
{
    char text[160];
    for (int k = 0; k < c->n; k++) {
        const cli_compared_row *before = NULL;
        for (size_t i = 0; i < c->file[k].n; i++) {
            const cli_compared_row *row = &c->file[k].rows[i];
            if (row->is_matched) {
                continue;
            }
            if (before && is_one_table(before, row)) {
                printf(", %s", rung_text(text, sizeof text, row));
            } else {
                printf("\nOnly in %s: %s (%s): %s", c->file[k].path, row->room, row->shape,
                       rung_text(text, sizeof text, row));
            }
            before = row;
        }
        if (before) {
            putchar('\n');
        }
    }
}

static sac_status draw(const comparison *c, const char *path, sac_error *err)
{
    static const uint32_t colors[CLI_COMPARED] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9};
    cli_bar_kind kinds[CLI_BAR_TIMES] = {[CLI_COMPARED] = {"published", 0x555555, true}};
    cli_bar *bars = cli_grow(NULL, 0, c->n_matches, sizeof *bars);
    size_t n = 0;
    for (int k = 0; k < c->n; k++) {
        kinds[k] = (cli_bar_kind){c->file[k].path, colors[k], false};
    }
    for (size_t i = 0; i < c->n_matches; i++) {
        const match *m = &c->matches[i];
        cli_bar bar = {.ns[CLI_COMPARED] = published_of(m)};
        bool is_timed = false;
        for (int k = 0; k < c->n; k++) {
            bar.ns[k] = time_of(m->row[k]);
            is_timed = is_timed || bar.ns[k] > 0;
        }
        snprintf(bar.room, sizeof bar.room, "%s", m->any->room);
        snprintf(bar.shape, sizeof bar.shape, "%s%s%s", m->any->shape,
                 m->any->task ? ", task " : "", m->any->task ? m->any->task : "");
        rung_text(bar.rung, sizeof bar.rung, m->any);
        if (is_timed) {
            bars[n++] = bar;
        }
    }
    sac_status st =
        n > 0 ? cli_bars_draw(bars, n, kinds, "Rungs of several machines: medians", path, err)
              : SAC_OK;
    if (n == 0) {
        cli_warn("no rung was timed and right in two files: nothing is drawn");
    }
    free(bars);
    return st;
}

static int compare(comparison *c, const char *plot_path)
{
    sac_error err = {0};
    for (int k = 0; k < c->n; k++) {
        count_alike(&c->file[k]);
    }
    match_rows(c);
    if (c->n_matches == 0) {
        return cli_fail("--compare: no rung is in two files, by room, name and shape: %s has %zu, "
                        "%s %zu",
                        c->file[0].path, c->file[0].n, c->file[1].path, c->file[1].n);
    }
    if (!cli_is_dash(plot_path)) {
        print_tables(c);
        print_alone(c);
    }
    return plot_path && draw(c, plot_path, &err) != SAC_OK ? cli_error(&err) : CLI_DONE;
}

int cli_ladder_compare(char *const *paths, int n, const char *plot_path)
{
    comparison c = {0};
    int status = CLI_DONE;
    for (; c.n < n && status == CLI_DONE; c.n++) {
        status = cli_compared_open(&c.file[c.n], paths[c.n]);
    }
    status = status ? status : compare(&c, plot_path);
    for (int k = 0; k < c.n; k++) {
        cli_compared_close(&c.file[k]);
    }
    free(c.matches);
    return status;
}
