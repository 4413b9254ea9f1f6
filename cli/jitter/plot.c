/*
 * The picture of saccade jitter: both histograms, logarithmic in time and in number.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>

#include "draw/canvas.h"
#include "report.h"
#include "tables.h"

enum {
    LEFT = 90,
    RIGHT = 30,
    HEAD = 30, /* a panel's title */
    PANEL_W = 900,
    PANEL_H = 240,
    GAP = 14,
    AXIS_H = 56, /* with its numbers and name */
    STEPS = 16   /* columns to a doubling: each of whole bins */
};

#define PAPER 0xFFFFFF
#define INK 0x303030
#define GRID 0xE4E4E4
#define BAR 0x0072B2 /* Okabe and Ito's blue and vermilion */
#define MARK 0xD55E00
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

typedef struct panel {
    const cli_canvas *canvas;
    cli_scale x, y;
    double from_ns, to_ns, most; /* of what there is */
} panel;

static void span(void *ctx, double from_ns, double to_ns, double count)
{
    panel *p = ctx;
    if (count > 0) {
        p->from_ns = fmin(p->from_ns, from_ns);
        p->to_ns = fmax(p->to_ns, to_ns);
        p->most = fmax(p->most, count);
    }
}

static void put_bar(void *ctx, double from_ns, double to_ns, double count)
{
    const panel *p = ctx;
    if (count > 0) {
        int left = (int)lround(cli_scale_at(&p->x, 1e-3 * from_ns));
        int right = (int)lround(cli_scale_at(&p->x, 1e-3 * to_ns));
        int top = (int)lround(cli_scale_at(&p->y, count)), end = (int)p->y.from;
        int w = right > left ? right - left : 1;
        cli_canvas_fill(p->canvas, left, top, w, end - top, BAR);
    }
}

static cli_scale log_scale(double min, double max, int from, int to)
{
    const cli_axis axis = {.log_base = 10};
    cli_scale scale;
    cli_scale_open(&scale, &axis, min, max, true);
    scale.from = from;
    scale.to = to;
    return scale;
}

static void put_grid(const panel *p, int y)
{
    for (int i = 0; i < p->x.n_ticks; i++) {
        int x = (int)lround(cli_scale_at(&p->x, p->x.tick[i]));
        cli_canvas_fill(p->canvas, x, y, 1, PANEL_H, GRID);
    }
    for (int i = 0; i < p->y.n_ticks; i++) {
        int at = (int)lround(cli_scale_at(&p->y, p->y.tick[i]));
        cli_canvas_fill(p->canvas, LEFT, at, PANEL_W, 1, GRID);
    }
}

static void put_mark(const panel *p, int y, double ns)
{
    int x = (int)lround(cli_scale_at(&p->x, 1e-3 * ns));
    cli_canvas_fill(p->canvas, x, y, 2, PANEL_H, MARK);
}

static void put_panel(const cli_canvas *c, const cli_scale *x, const char *what,
                      const sac_histogram *h, int y)
{
    char text[160], p50[16], p999[16], max[16];
    panel p = {.canvas = c, .x = *x, .from_ns = INFINITY, .most = 10};
    each_column(h, span, &p);
    p.y = log_scale(0.5, p.most, y + HEAD + PANEL_H, y + HEAD);
    double p50_ns = sac_histogram_get_quantile(h, 0.5),
           p999_ns = sac_histogram_get_quantile(h, 0.999);
    snprintf(text, sizeof text, "%s: p50 %s, p99.9 %s, max %s (lines)", what,
             cli_time_text(p50, sizeof p50, p50_ns), cli_time_text(p999, sizeof p999, p999_ns),
             cli_time_text(max, sizeof max, (double)sac_histogram_get_max(h)));
    cli_canvas_text(c, LEFT, y + 8, text);
    put_grid(&p, y + HEAD);
    each_column(h, put_bar, &p);
    put_mark(&p, y + HEAD, p50_ns);
    put_mark(&p, y + HEAD, p999_ns);
    put_mark(&p, y + HEAD, (double)sac_histogram_get_max(h));
    cli_canvas_y_axis(c, LEFT, &p.y, false);
}

static void draw(const cli_canvas *c, const void *ctx)
{
    const cli_jitter_seen *j = ctx;
    panel all = {.from_ns = INFINITY, .most = 1};
    each_column(j->gaps, span, &all);
    each_column(j->late, span, &all);
    cli_scale x = log_scale(1e-3 * fmin(all.from_ns, 1000), 1e-3 * fmax(all.to_ns, 1000), LEFT,
                            LEFT + PANEL_W);
    cli_canvas_fill(c, 0, 0, c->w, c->h, PAPER);
    put_panel(c, &x, "gaps, counted", j->gaps, 0);
    int below = HEAD + PANEL_H + GAP;
    put_panel(c, &x, "lateness, counted", j->late, below);
    cli_canvas_x_axis(c, below + HEAD + PANEL_H, &x, "microseconds");
}

sac_status cli_jitter_plot(const cli_jitter_seen *j, const char *path, sac_error *err)
{
    const int h = 2 * (HEAD + PANEL_H) + GAP + AXIS_H;
    return cli_canvas_write(path, LEFT + PANEL_W + RIGHT, h, INK, draw, j, err);
}
