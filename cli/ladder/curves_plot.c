/*
 * The curves of melt-pool monitoring, drawn: a row of panels for each way and kind of batch,
 * latency against load and its two parts; then throughput by batch.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "curves.h"
#include "draw/plot.h"

enum {
    PARTS = 3,      /* latency, buffering, compute: the columns */
    MOST_LINES = 7, /* colours */
    LOADS = 32      /* points of a line at most */
};

/* A line: a batch's points along the load. */
typedef struct line {
    char label[16];
    double load_hz[LOADS], us[PARTS][LOADS];
    size_t n;
} line;

/* A row of panels. */
typedef struct row {
    char titles[PARTS][64];
    line lines[MOST_LINES];
    cli_series series[PARTS][MOST_LINES];
    size_t n_lines;
    cli_mark marks[MOST_LINES]; /* inflection points */
    size_t n_marks;
} row;

static double us(double ns)
{
    return 1e-3 * fmax(ns, 10); /* axes are logarithmic */
}

static void add_line(row *r, const cli_curve *curve, bool is_full)
{
    sac_meltpool_point *points = cli_grow(NULL, 0, (size_t)curve->n, sizeof *points);
    int32_t n = cli_curve_loads(points, curve, is_full);
    line *l = &r->lines[r->n_lines++];
    snprintf(l->label, sizeof l->label, "%d", curve->points->batch);
    for (int32_t i = 0; i < n && i < LOADS; i++, l->n++) {
        l->load_hz[i] = points[i].load_hz;
        l->us[0][i] = us(points[i].latency.p50_ns);
        l->us[1][i] = us(points[i].buffering.p50_ns);
        l->us[2][i] = us(points[i].compute.p50_ns);
    }
    const sac_meltpool_point *bend = sac_meltpool_inflection(points, n);
    if (bend) {
        r->marks[r->n_marks++] = (cli_mark){bend->load_hz, us(bend->latency.p50_ns), ""};
    }
    for (int i = 0; i < PARTS; i++) {
        r->series[i][r->n_lines - 1] = (cli_series){
            .label = l->label, .kind = CLI_LINE_POINTS, .x = l->load_hz, .y = l->us[i], .n = l->n};
    }
    free(points);
}

/* Every batch, or where these are more than colours, every second one. */
static void fill_row(row *r, const cli_curves *c, int way, bool is_full)
{
    static const char *const parts[PARTS] = {"latency", "buffering", "compute"};
    int32_t n = 0, k = 0;
    for (int i = 0; i < PARTS; i++) {
        snprintf(r->titles[i], sizeof r->titles[i], "%s, %s: %s", c->ways[way],
                 is_full ? "full batches" : "what waits", parts[i]);
    }
    for (int32_t i = 0; i < c->n_curves; i++) {
        n += c->curves[i].way == way;
    }
    for (int32_t i = 0; i < c->n_curves; i++) {
        if (c->curves[i].way == way && (n <= MOST_LINES || k++ % 2 == 0) &&
            r->n_lines < MOST_LINES) {
            add_line(r, &c->curves[i], is_full);
        }
    }
}

static bool has_loads(const cli_curves *c, int way)
{
    for (int32_t i = 0; i < c->n_curves; i++) {
        if (c->curves[i].way == way && c->curves[i].n > 1) {
            return true;
        }
    }
    return false;
}

static size_t put_row(cli_panel *panels, const row *r)
{
    for (int i = 0; i < PARTS; i++) {
        panels[i] = (cli_panel){.title = r->titles[i],
                                .x = {.label = "frames/s offered", .log_base = 10},
                                .y = {.label = "median, us", .log_base = 10},
                                .series = r->series[i],
                                .n_series = r->n_lines,
                                .marks = r->marks,
                                .n_marks = i == 0 ? r->n_marks : 0};
    }
    return PARTS;
}

/* Throughput by batch: a line a way, and the paper's two. */
typedef struct throughput {
    double batch[CLI_CURVES_WAYS + 2][LOADS], hz[CLI_CURVES_WAYS + 2][LOADS];
    cli_series series[CLI_CURVES_WAYS + 2];
} throughput;

static void add_throughput(throughput *t, int k, const char *label, int32_t batch, double hz)
{
    cli_series *s = &t->series[k];
    if (hz > 0 && s->n < LOADS) {
        t->batch[k][s->n] = batch;
        t->hz[k][s->n] = hz;
        *s = (cli_series){.label = label,
                          .kind = CLI_LINE_POINTS,
                          .x = t->batch[k],
                          .y = t->hz[k],
                          .n = s->n + 1};
    }
}

static size_t put_throughput(cli_panel *panel, throughput *t, const cli_curves *c, bool on_device)
{
    int n = 0;
    for (int32_t i = 0; i < c->n_curves; i++) {
        const cli_curve *curve = &c->curves[i];
        if (curve->points->way.on_device == on_device) {
            n += n == 0 || curve->way != curve[-1].way;
            add_throughput(t, n - 1, c->ways[n - 1], curve->points->batch, curve->points->done_hz);
        }
    }
    if (n == 0) {
        return 0;
    }
    for (int32_t batch = 1; batch <= 32; batch *= 2) {
        double xavier_hz, a6000_hz;
        cli_curves_published(&xavier_hz, &a6000_hz, batch);
        add_throughput(t, n, "Xavier", batch, xavier_hz);
        add_throughput(t, n + 1, "A6000", batch, a6000_hz);
    }
    *panel = (cli_panel){.title = on_device ? "Throughput, frames on the GPU" : "Throughput",
                         .x = {.label = "frames at once", .log_base = 2},
                         .y = {.label = "frames/s", .log_base = 10},
                         .series = t->series,
                         .n_series = (size_t)n + 2};
    return 1;
}

sac_status cli_curves_plot(const cli_curves *c, const char *path, sac_error *err)
{
    size_t most_rows = 2 * (size_t)c->n_ways, n_rows = 0, n = 0;
    row *rows = cli_grow(NULL, 0, most_rows, sizeof *rows);
    cli_panel *panels = cli_grow(NULL, 0, most_rows * PARTS + 2, sizeof *panels);
    throughput *all = cli_grow(NULL, 0, 2, sizeof *all);
    for (int way = 0; way < c->n_ways; way++) {
        for (int full = 1; full >= 0 && has_loads(c, way); full--) {
            fill_row(&rows[n_rows], c, way, full);
            n += put_row(&panels[n], &rows[n_rows++]);
        }
    }
    n += put_throughput(&panels[n], &all[0], c, false);
    n += put_throughput(&panels[n], &all[1], c, true);
    const cli_plot plot = {.title =
                               "Melt-pool monitoring: latency against throughput, by frames at "
                               "once; inflection points circled",
                           .panels = panels,
                           .n_panels = n,
                           .n_columns = PARTS};
    sac_status st = cli_plot_write(path, &plot, err);
    free(all);
    free(panels);
    free(rows);
    return st;
}
