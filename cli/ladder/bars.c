/*
 * Rungs as bars: a panel for each room and shape.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "draw/plot.h"

#define GROUP 0.84   /* of a rung's width: its bars; the rest is a gap */
#define RUNG_PT 24   /* of a rung, so that names do not meet */
#define LEAST_PT 352 /* of a panel */
#define US_BELOW 1e6 /* ns: panels whose bars are all shorter are in microseconds */
#define NS_BELOW 1e3 /* or nanoseconds */

/* A room's panel, and what it points to. */
typedef struct panel {
    char title[240];
    const char **names;                          /* (n) */
    double *x[CLI_BAR_TIMES], *y[CLI_BAR_TIMES]; /* (n) each */
    cli_series series[CLI_BAR_TIMES];
} panel;

static bool has_time(const cli_bar *b, size_t n, int time)
{
    for (size_t i = 0; i < n; i++) {
        if (b[i].ns[time] > 0) {
            return true;
        }
    }
    return false;
}

/* The least and the most of all times that n bars have. */
static void span(double *least, double *most, const cli_bar *b, size_t n)
{
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < n * CLI_BAR_TIMES; i++) {
        const double ns = b[i / CLI_BAR_TIMES].ns[i % CLI_BAR_TIMES];
        *least = ns > 0 ? fmin(*least, ns) : *least;
        *most = fmax(*most, ns);
    }
}

/* Of the n bars of a room: a series for each time that one of them has, side by side. */
static cli_panel fill_panel(panel *p, const cli_bar *b, size_t n, const cli_bar_kind *kinds)
{
    size_t n_series = 0, k = 0;
    double least, most;
    span(&least, &most, b, n);
    const double unit_ns = most < NS_BELOW ? 1 : most < US_BELOW ? 1e3 : 1e6;
    snprintf(p->title, sizeof p->title, "%s: %s", b->room, b->shape);
    p->names = cli_grow(NULL, 0, n, sizeof *p->names);
    for (int t = 0; t < CLI_BAR_TIMES; t++) {
        n_series += has_time(b, n, t);
    }
    for (int t = 0; t < CLI_BAR_TIMES; t++) {
        p->x[t] = cli_grow(NULL, 0, n, sizeof *p->x[t]);
        p->y[t] = cli_grow(NULL, 0, n, sizeof *p->y[t]);
        const double width = GROUP / (double)n_series;
        for (size_t i = 0; i < n; i++) {
            p->names[i] = b[i].rung;
            p->x[t][i] = (double)i + (1 - GROUP) / 2 + (double)k * width;
            p->y[t][i] = b[i].ns[t] / unit_ns;
        }
        if (has_time(b, n, t)) {
            p->series[k++] = (cli_series){.label = kinds[t].label,
                                          .x = p->x[t],
                                          .y = p->y[t],
                                          .n = n,
                                          .kind = CLI_BARS,
                                          .dashed = kinds[t].is_published,
                                          .color = kinds[t].color,
                                          .width = width};
        }
    }
    return (cli_panel){.title = p->title,
                       .x = {.label = "", .max = (double)n, .names = p->names, .n_names = n},
                       .y = {.label = unit_ns > 1e3 ? "ms"
                                      : unit_ns > 1 ? "us"
                                                    : "ns",
                             .min = pow(10, floor(log10(least / unit_ns) - 0.1)),
                             .max = pow(10, ceil(log10(most / unit_ns))),
                             .log_base = 10},
                       .series = p->series,
                       .n_series = n_series};
}

static void free_panel(panel *p)
{
    free(p->names);
    for (int t = 0; t < CLI_BAR_TIMES; t++) {
        free(p->x[t]);
        free(p->y[t]);
    }
}

/* How many bars from the first on are of its room and shape. */
static size_t count_room(const cli_bar *b, size_t n)
{
    size_t same = 1;
    while (same < n && !strcmp(b->room, b[same].room) && !strcmp(b->shape, b[same].shape)) {
        same++;
    }
    return same;
}

sac_status cli_bars_draw(const cli_bar *bars, size_t n, const cli_bar_kind kinds[CLI_BAR_TIMES],
                         const char *title, const char *path, sac_error *err)
{
    size_t n_panels = 0, most = 0;
    panel *rooms = cli_grow(NULL, 0, n, sizeof *rooms);
    cli_panel *panels = cli_grow(NULL, 0, n, sizeof *panels);
    for (size_t i = 0, same; i < n; i += same, n_panels++) {
        same = count_room(&bars[i], n - i);
        panels[n_panels] = fill_panel(&rooms[n_panels], &bars[i], same, kinds);
        most = same > most ? same : most;
    }
    const cli_plot plot = {.title = title,
                           .panels = panels,
                           .n_panels = n_panels,
                           .n_columns = n_panels > 1 ? 2 : 1,
                           .panel_w = fmax(LEAST_PT, RUNG_PT * (double)most)};
    sac_status st = cli_plot_write(path, &plot, err);
    for (size_t i = 0; i < n_panels; i++) {
        free_panel(&rooms[i]);
    }
    free(rooms);
    free(panels);
    return st;
}

void cli_ladder_add_bar(cli_ladder_bars *bars, const sac_ladder_row *row)
{
    if (row->runs == 0) {
        return;
    }
    bars->bar = cli_grow(bars->bar, bars->n, bars->n + 1, sizeof *bars->bar);
    cli_bar *b = &bars->bar[bars->n++];
    *b = (cli_bar){.ns = {row->loop_ns, row->median_ns, row->published_loop_ns, row->published_ns}};
    snprintf(b->room, sizeof b->room, "%s", row->room);
    snprintf(b->rung, sizeof b->rung, "%s", row->rung);
    snprintf(b->shape, sizeof b->shape, "%s, %s", row->shape, row->device);
    bars->on_gpu = bars->on_gpu || row->kernel_ns > 0;
}

sac_status cli_ladder_draw_bars(cli_ladder_bars *bars, const char *path, sac_error *err)
{
    static const cli_bar_kind on_gpu[CLI_BAR_TIMES] = {{"loop", 0x0072b2, false},
                                                       {"kernel", 0xd55e00, false},
                                                       {"published loop", 0x0072b2, true},
                                                       {"published kernel", 0xd55e00, true}};
    static const cli_bar_kind on_cpu[CLI_BAR_TIMES] = {
        [1] = {"time", 0x0072b2, false}, [3] = {"published", 0xd55e00, true}};
    sac_status st = SAC_OK;
    if (path && bars->n > 0) {
        st = cli_bars_draw(bars->bar, bars->n, bars->on_gpu ? on_gpu : on_cpu,
                           "Rungs of the ladder: medians", path, err);
    }
    free(bars->bar);
    *bars = (cli_ladder_bars){0};
    return st;
}
