/*
 * The plot of saccade jitter: both histograms, logarithmic in time and in number.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>

#include "draw/plot.h"
#include "report.h"
#include "tables.h"

enum {
    PANEL_W = 900,
    PANEL_H = 240,
    STEPS = 16, /* columns to a doubling: each of whole bins */
    MARKS = 3
};

#define FIRST_BIT 4 /* columns end behind 2^4 ns; the first one begins here: */
#define FIRST_NS 10
#define LAST_BIT 36

/* Calls visit for each column of the plot: how many times of from_ns up to to_ns there are. */
static void each_column(const sac_histogram *h,
                        void (*visit)(void *ctx, double from_ns, double to_ns, double count),
                        void *ctx)
{
    double sum = 0;
    int64_t column = 0;
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++) {
        sac_histogram_bin bin = sac_histogram_get_bin(h, i);
        int bit = FIRST_BIT;
        while (bit + 1 < LAST_BIT && bin.to_ns > INT64_C(1) << (bit + 1)) {
            bit++;
        }
        int64_t width = (INT64_C(1) << bit) / STEPS;
        sum += (double)bin.count;
        if (bin.to_ns % width == 0 && bin.to_ns > INT64_C(1) << FIRST_BIT) {
            visit(ctx, (double)(column ? bin.to_ns - width : FIRST_NS), (double)bin.to_ns, sum);
            sum = 0;
            column++;
        }
    }
}

#define MOST_COLUMNS ((LAST_BIT - FIRST_BIT + 1) * STEPS)

/* A histogram's panel, and what it points to. */
typedef struct panel {
    double us[MOST_COLUMNS], count[MOST_COLUMNS]; /* a column begins where the one before ends */
    double last_us, most;
    size_t n;
    cli_series series;
    char text[MARKS][40];
    cli_mark marks[MARKS];
} panel;

/* Columns without times lie between others alone. */
static void add_column(void *ctx, double from_ns, double to_ns, double count)
{
    panel *p = ctx;
    if (p->n < MOST_COLUMNS && (count > 0 || p->n > 0)) {
        p->us[p->n] = 1e-3 * from_ns;
        p->count[p->n++] = count;
        p->last_us = count > 0 ? 1e-3 * to_ns : p->last_us;
        p->most = fmax(p->most, count);
    }
}

static void fill(panel *p, const sac_histogram *h)
{
    const double ns[MARKS] = {sac_histogram_get_quantile(h, 0.5),
                              sac_histogram_get_quantile(h, 0.999),
                              (double)sac_histogram_get_max(h)};
    static const char *const names[MARKS] = {"p50", "p99.9", "max"};
    each_column(h, add_column, p);
    while (p->n > 0 && p->count[p->n - 1] == 0) {
        p->n--;
    }
    p->series = (cli_series){.kind = CLI_BARS, .x = p->us, .y = p->count, .n = p->n};
    for (int i = 0; i < MARKS; i++) {
        char text[16];
        snprintf(p->text[i], sizeof p->text[i], "%s %s", names[i],
                 cli_time_text(text, sizeof text, ns[i]));
        p->marks[i] = (cli_mark){1e-3 * ns[i], (double)NAN, p->text[i]};
    }
}

sac_status cli_jitter_plot(const cli_jitter_seen *j, const char *path, sac_error *err)
{
    panel gaps = {0}, late = {0};
    fill(&gaps, j->gaps);
    fill(&late, j->late);
    const double first = fmin(gaps.n ? gaps.us[0] : 1, late.n ? late.us[0] : 1);
    const double last = fmax(fmax(gaps.last_us, late.last_us), 1);
    const cli_axis time = {.label = "us",
                           .min = pow(10, floor(log10(first))),
                           .max = pow(10, ceil(log10(last))),
                           .log_base = 10};
    const panel *const both[] = {&gaps, &late};
    cli_panel panels[2];
    for (int i = 0; i < 2; i++) {
        panels[i] = (cli_panel){.title = i == 0 ? "Gaps" : "Lateness",
                                .x = time,
                                .y = {.label = "counted",
                                      .min = 0.5, /* so that one is seen */
                                      .max = pow(10, ceil(log10(fmax(both[i]->most, 2)))),
                                      .log_base = 10},
                                .series = &both[i]->series,
                                .n_series = 1,
                                .marks = both[i]->marks,
                                .n_marks = MARKS};
    }
    const cli_plot plot = {.title = "How steadily this machine runs a thread",
                           .panels = panels,
                           .n_panels = 2,
                           .n_columns = 1,
                           .panel_w = PANEL_W,
                           .panel_h = PANEL_H};
    return cli_plot_write(path, &plot, err);
}
