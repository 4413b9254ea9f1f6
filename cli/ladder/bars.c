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

enum { LOOP, WORK, PUBLISHED_LOOP, PUBLISHED, N_TIMES };
#define GROUP 0.84     /* of a rung's width: its bars; the rest is a gap */
#define RUNG_PT 24     /* of a rung, so that names do not meet */
#define LEAST_PT 352   /* of a panel */
#define US_BELOW_MS 1.0 /* panels whose bars are all shorter are in microseconds */

typedef struct cli_ladder_bar {
    char room[64], shape[160], rung[64];
    double ms[N_TIMES]; /* 0: none */
    bool on_gpu;
} bar;

void cli_ladder_add_bar(cli_ladder_bars *bars, const sac_ladder_row *row)
{
    if (row->runs == 0) {
        return;
    }
    bar *grown = realloc(bars->bar, (bars->n + 1) * sizeof *grown);
    if (!grown) {
        exit(cli_fail("out of memory"));
    }
    bars->bar = grown;
    bar *b = &grown[bars->n++];
    *b = (bar){.ms = {row->loop_ns * 1e-6, row->median_ns * 1e-6, row->published_loop_ns * 1e-6,
                      row->published_ns * 1e-6},
               .on_gpu = row->kernel_ns > 0};
    snprintf(b->room, sizeof b->room, "%s", row->room);
    snprintf(b->rung, sizeof b->rung, "%s", row->rung);
    snprintf(b->shape, sizeof b->shape, "%s, %s", row->shape, row->device);
}

/* A room's panel, and what it points to. */
typedef struct panel {
    char title[240];
    const char **names;              /* (n) */
    double *x[N_TIMES], *y[N_TIMES]; /* (n) each; y in ms or us */
    cli_series series[N_TIMES];
} panel;

static void *take(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory) {
        exit(cli_fail("out of memory"));
    }
    return memory;
}

static bool has_time(const bar *b, size_t n, int time)
{
    for (size_t i = 0; i < n; i++) {
        if (b[i].ms[time] > 0) {
            return true;
        }
    }
    return false;
}

/* The least and the most of all times that n bars have. */
static void span(double *least, double *most, const bar *b, size_t n)
{
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < n * N_TIMES; i++) {
        const double ms = b[i / N_TIMES].ms[i % N_TIMES];
        *least = ms > 0 ? fmin(*least, ms) : *least;
        *most = fmax(*most, ms);
    }
}

/* Of the n bars of a room: a series for each time that one of them has, side by side; published
 * ones are hollow. */
static cli_panel fill_panel(panel *p, const bar *b, size_t n)
{
    static const char *const on_gpu[] = {"loop", "kernel", "published loop", "published kernel"};
    static const char *const on_cpu[] = {"", "time", "", "published"};
    static const uint32_t colors[N_TIMES] = {0x0072b2, 0xd55e00, 0x0072b2, 0xd55e00};
    size_t n_series = 0, k = 0;
    double least, most;
    span(&least, &most, b, n);
    const double unit = most < US_BELOW_MS ? 1e3 : 1;
    snprintf(p->title, sizeof p->title, "%s: %s", b->room, b->shape);
    p->names = take(n, sizeof *p->names);
    for (int t = 0; t < N_TIMES; t++) {
        n_series += has_time(b, n, t);
    }
    for (int t = 0; t < N_TIMES; t++) {
        p->x[t] = take(n, sizeof *p->x[t]);
        p->y[t] = take(n, sizeof *p->y[t]);
        const double width = GROUP / (double)n_series;
        for (size_t i = 0; i < n; i++) {
            p->names[i] = b[i].rung;
            p->x[t][i] = (double)i + (1 - GROUP) / 2 + (double)k * width;
            p->y[t][i] = b[i].ms[t] * unit;
        }
        if (has_time(b, n, t)) {
            p->series[k++] = (cli_series){.label = b->on_gpu ? on_gpu[t] : on_cpu[t],
                                          .x = p->x[t],
                                          .y = p->y[t],
                                          .n = n,
                                          .kind = CLI_BARS,
                                          .dashed = t >= PUBLISHED_LOOP,
                                          .color = colors[t],
                                          .width = width};
        }
    }
    return (cli_panel){.title = p->title,
                       .x = {.label = "", .max = (double)n, .names = p->names, .n_names = n},
                       .y = {.label = unit > 1 ? "us" : "ms",
                             .min = pow(10, floor(log10(least * unit) - 0.1)),
                             .max = pow(10, ceil(log10(most * unit))),
                             .log_base = 10},
                       .series = p->series,
                       .n_series = n_series};
}

static void free_panel(panel *p)
{
    free(p->names);
    for (int t = 0; t < N_TIMES; t++) {
        free(p->x[t]);
        free(p->y[t]);
    }
}

static size_t count_room(const cli_ladder_bars *bars, size_t first)
{
    size_t n = 1;
    const bar *b = &bars->bar[first];
    while (first + n < bars->n && !strcmp(b->room, b[n].room) && !strcmp(b->shape, b[n].shape)) {
        n++;
    }
    return n;
}

sac_status cli_ladder_draw_bars(cli_ladder_bars *bars, const char *path, sac_error *err)
{
    sac_status st = SAC_OK;
    size_t n_panels = 0, most = 0;
    if (path && bars->n > 0) {
        panel *rooms = take(bars->n, sizeof *rooms);
        cli_panel *panels = take(bars->n, sizeof *panels);
        for (size_t i = 0; i < bars->n; i += count_room(bars, i), n_panels++) {
            panels[n_panels] = fill_panel(&rooms[n_panels], &bars->bar[i], count_room(bars, i));
            most = count_room(bars, i) > most ? count_room(bars, i) : most;
        }
        const cli_plot plot = {.title = "Rungs of the ladder: medians",
                               .panels = panels,
                               .n_panels = n_panels,
                               .n_columns = n_panels > 1 ? 2 : 1,
                               .panel_w = fmax(LEAST_PT, RUNG_PT * (double)most)};
        st = cli_plot_write(path, &plot, err);
        for (size_t i = 0; i < n_panels; i++) {
            free_panel(&rooms[i]);
        }
        free(rooms);
        free(panels);
    }
    free(bars->bar);
    *bars = (cli_ladder_bars){0};
    return st;
}
