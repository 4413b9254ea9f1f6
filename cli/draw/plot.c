/*
 * Plots: panels in a grid, each with axes, series, marks and a legend beneath.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plot.h"

#include <math.h>
#include <string.h>

#include "ink.h"
#include "page.h"

/* Points around a panel's data, and of the data where the plot does not say. */
enum {
    DATA_W = 352,
    DATA_H = 234,
    LEFT = 66,
    RIGHT = 62,
    TOP = 34,
    BOTTOM = 72,
    HEAD = 40,    /* the plot's title */
    STRIP_H = 10, /* colors above the data */
    POINT = 4,    /* half of the largest point: on the frame it is not cut */
    LINE_H = 14
};

#define INK 0x222222
#define AXIS 0x555555
#define GRID 0xdddddd
#define TITLE_PT 16
#define PANEL_PT 13
#define NAME_DEGREES (-30)
#define NAME_SHARE 0.5 /* of a name's width: what it takes below the axis, by the angle's sine */
#define MOST_NAME 110  /* points below the axis */

/* Okabe and Ito's colors, told apart by nearly every eye and in gray print, the strong ones first.
 */
static const uint32_t colors[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                  0x56b4e9, 0xe69f00, 0x000000};

typedef struct drawing {
    cairo_t *cr;
    const cli_panel *panel;
    double w, h; /* of the data */
    double names_h;
    cli_scale x, y, right;
} drawing;

static uint32_t color(const cli_panel *panel, size_t i)
{
    return panel->series[i].color ? panel->series[i].color
                                  : colors[i % (sizeof colors / sizeof *colors)];
}

/* How wide a series' last bar is: as the one before, unless all have a width. */
static double last_bar(const cli_series *s)
{
    return s->width > 0 ? s->width : s->n > 1 ? s->x[s->n - 1] - s->x[s->n - 2] : 1;
}

/* The span of what is drawn along x, or along y on one of the two axes. */
static void span(const cli_panel *panel, bool along_x, bool right, double *min, double *max)
{
    *min = INFINITY;
    *max = -INFINITY;
    for (size_t i = 0; i < panel->n_series; i++) {
        const cli_series *s = &panel->series[i];
        if (!along_x && s->right != right) {
            continue;
        }
        for (size_t k = 0; k < s->n; k++) {
            double value = along_x ? s->x[k] : s->y[k];
            *min = fmin(*min, value);
            *max = fmax(*max, value);
        }
        if (s->kind == CLI_BARS && s->n > 0) {
            *min = along_x ? *min : fmin(*min, 0);
            *max = along_x ? fmax(*max, s->x[s->n - 1] + last_bar(s)) : *max;
        }
    }
}

static void open_scales(drawing *d)
{
    double min;
    double max;
    span(d->panel, true, false, &min, &max);
    cli_scale_open(&d->x, &d->panel->x, min, max, false);
    d->x.to = d->w;
    span(d->panel, false, false, &min, &max);
    cli_scale_open(&d->y, &d->panel->y, min, max, true);
    d->y.from = d->h;
    d->y.to = 0;
    if (d->panel->right) {
        span(d->panel, false, true, &min, &max);
        cli_scale_open(&d->right, d->panel->right, min, max, true);
        d->right.from = d->h;
        d->right.to = 0;
    }
}

/* What names below the axis take more than numbers do. */
static double names_height(cairo_t *cr, const cli_axis *axis)
{
    double most = 0;
    cli_font(cr, CLI_TEXT_PT, false);
    for (size_t i = 0; i < axis->n_names; i++) {
        most = fmax(most, NAME_SHARE * cli_text_width(cr, axis->names[i]));
    }
    return fmin(fmax(most - CLI_TEXT_PT, 0), MOST_NAME);
}

/* Names below an axis, slanted, so that long ones do not meet. */
static void draw_names(const drawing *d)
{
    for (size_t i = 0; i < d->panel->x.n_names; i++) {
        cli_text_turned(d->cr, cli_scale_at(&d->x, (double)i + 0.5) + 4, d->h + 12, CLI_END,
                        NAME_DEGREES, d->panel->x.names[i]);
    }
}

static void draw_grid(const drawing *d)
{
    cli_color(d->cr, GRID);
    for (int i = 0; i < d->y.n_ticks; i++) {
        const double y = cli_scale_at(&d->y, d->y.tick[i]);
        cli_line(d->cr, 0, y, d->w, y, 1);
    }
    for (int i = 0; d->panel->x.n_names == 0 && i < d->x.n_ticks; i++) {
        const double x = cli_scale_at(&d->x, d->x.tick[i]);
        cli_line(d->cr, x, 0, x, d->h, 1);
    }
}

static void draw_axes(const drawing *d)
{
    cairo_t *cr = d->cr;
    draw_grid(d);
    cli_font(cr, CLI_TEXT_PT, false);
    cli_color(cr, INK);
    cli_y_axis(cr, 0, &d->y, false);
    if (d->panel->x.n_names > 0) {
        draw_names(d);
        cli_text_at(cr, d->w / 2, d->h + d->names_h + 34, CLI_MIDDLE, d->panel->x.label);
    } else {
        cli_x_axis(cr, d->h, &d->x, d->panel->x.label);
    }
    cli_text_turned(cr, -50, d->h / 2, CLI_MIDDLE, -90, d->panel->y.label);
    if (d->panel->right) {
        cli_y_axis(cr, d->w, &d->right, true);
        cli_text_turned(cr, d->w + 48, d->h / 2, CLI_MIDDLE, 90, d->panel->right->label);
    }
}

/* Each by itself: where they touch, one path would be as one area. */
static void draw_bars(const drawing *d, const cli_series *s, const cli_scale *y, uint32_t fill)
{
    const double floor_y = y->log_base ? y->from : cli_scale_at(y, 0);
    cairo_set_line_width(d->cr, 1);
    for (size_t k = 0; k < s->n; k++) {
        const double next = k + 1 < s->n && s->width == 0 ? s->x[k + 1] : s->x[k] + last_bar(s);
        const double x = cli_scale_at(&d->x, s->x[k]), w = cli_scale_at(&d->x, next) - x;
        const double top = cli_scale_at(y, s->y[k]);
        if (top == floor_y) {
            continue;
        }
        if (s->dashed) {
            cairo_rectangle(d->cr, x + 0.5, top, w > 2 ? w - 1 : w, floor_y - top);
            cli_color_clear(d->cr, fill, 0.15);
            cairo_fill_preserve(d->cr);
            cli_color(d->cr, fill);
            cairo_stroke(d->cr);
        } else {
            cairo_rectangle(d->cr, x, top, w, floor_y - top);
            cli_color_clear(d->cr, fill, 0.6);
            cairo_fill(d->cr);
        }
    }
}

static void draw_series(const drawing *d, const cli_series *s, uint32_t stroke)
{
    const cli_scale *y = s->right ? &d->right : &d->y;
    const double dashes[] = {6, 4};
    if (s->kind == CLI_BARS) {
        draw_bars(d, s, y, stroke);
        return;
    }
    cli_color(d->cr, stroke);
    for (size_t k = 0; s->kind != CLI_POINTS && k < s->n; k++) {
        cairo_line_to(d->cr, cli_scale_at(&d->x, s->x[k]), cli_scale_at(y, s->y[k]));
    }
    cairo_set_line_width(d->cr, 2);
    cairo_set_dash(d->cr, dashes, s->dashed ? 2 : 0, 0);
    cairo_stroke(d->cr);
    cairo_set_dash(d->cr, dashes, 0, 0);
    for (size_t k = 0; s->kind != CLI_LINE && k < s->n; k++) {
        cairo_arc(d->cr, cli_scale_at(&d->x, s->x[k]), cli_scale_at(y, s->y[k]), 3, 0,
                  2 * acos(-1));
        cairo_fill(d->cr);
    }
}

/* Texts of vertical lines stand in rows of their own, the first at the top. */
static void draw_mark(const drawing *d, const cli_mark *mark, size_t row)
{
    const double dashes[] = {3, 3};
    double x = isnan(mark->x) ? d->w : cli_scale_at(&d->x, mark->x);
    double y = isnan(mark->y) ? 0 : cli_scale_at(&d->y, mark->y);
    bool end = x > d->w / 2; /* the text stands on the roomy side */
    cli_color(d->cr, AXIS);
    cairo_set_dash(d->cr, dashes, 2, 0);
    if (isnan(mark->y)) {
        cli_line(d->cr, x, 0, x, d->h, 1);
        y = 14 + (double)row * LINE_H;
    } else if (isnan(mark->x)) {
        cli_line(d->cr, 0, y, d->w, y, 1);
        y -= 4;
    } else {
        cairo_arc(d->cr, x, y, 4, 0, 2 * acos(-1));
        cairo_stroke(d->cr);
        y -= 8;
    }
    cairo_set_dash(d->cr, dashes, 0, 0);
    cli_color(d->cr, INK);
    cli_text_at(d->cr, x + (end ? -5 : 5), y, end ? CLI_END : CLI_START, mark->text);
}

static void draw_legend(const drawing *d)
{
    double x = 0;
    double y = d->h + d->names_h + 54;
    for (size_t i = 0; i < d->panel->n_series; i++) {
        const cli_series *s = &d->panel->series[i];
        if (!s->label) {
            continue;
        }
        const bool bars = s->kind == CLI_BARS;
        const double w = 21 + cli_text_width(d->cr, s->label) + 16;
        if (x > 0 && x + w > d->w + RIGHT) {
            x = 0;
            y += LINE_H;
        }
        cli_color_clear(d->cr, color(d->panel, i), !bars ? 1 : s->dashed ? 0.15 : 0.6);
        cairo_rectangle(d->cr, x, bars ? y - 9 : y - 5, 16, bars ? 10 : 2);
        cairo_fill(d->cr);
        cli_color(d->cr, color(d->panel, i));
        if (bars && s->dashed) {
            cli_box(d->cr, x, y - 9, 16, 10);
        }
        cli_color(d->cr, INK);
        cli_text_at(d->cr, x + 21, y, CLI_START, s->label);
        x += w;
    }
}

static void draw_panel(drawing *d, double left, double top)
{
    cairo_t *cr = d->cr;
    const cli_panel *panel = d->panel;
    open_scales(d);
    cairo_save(cr);
    cairo_translate(cr, left + LEFT, top + TOP);
    cli_font(cr, PANEL_PT, true);
    cli_color(cr, INK);
    cli_text_at(cr, 0, panel->n_strip > 0 ? -STRIP_H - 8 : -12, CLI_START, panel->title);
    if (panel->n_strip > 0) {
        cli_cells(cr, 0, -STRIP_H - 2, d->w, STRIP_H, panel->strip, (int)panel->n_strip, 1);
    }
    draw_axes(d);
    cairo_save(cr);
    cairo_rectangle(cr, -POINT, -POINT, d->w + 2 * POINT, d->h + 2 * POINT);
    cairo_clip(cr);
    for (size_t i = 0; i < panel->n_series; i++) {
        draw_series(d, &panel->series[i], color(panel, i));
    }
    for (size_t i = 0; i < panel->n_marks; i++) {
        draw_mark(d, &panel->marks[i], i);
    }
    cairo_restore(cr);
    cli_color(cr, AXIS);
    cli_box(cr, 0, 0, d->w, d->h);
    draw_legend(d);
    cairo_restore(cr);
}

/* Rows are as high as their longest names need; the height of all where none is drawn. */
static double draw_rows(cairo_t *cr, const cli_plot *plot, double w, double h, bool is_drawn)
{
    double top = HEAD;
    for (size_t i = 0; i < plot->n_panels; i += plot->n_columns) {
        double names_h = 0;
        for (size_t k = i; k < plot->n_panels && k < i + plot->n_columns; k++) {
            names_h = fmax(names_h, names_height(cr, &plot->panels[k].x));
        }
        for (size_t k = i; is_drawn && k < plot->n_panels && k < i + plot->n_columns; k++) {
            drawing d = {.cr = cr, .panel = &plot->panels[k], .w = w, .h = h, .names_h = names_h};
            draw_panel(&d, (double)(k - i) * (LEFT + w + RIGHT), top);
        }
        top += TOP + h + BOTTOM + names_h;
    }
    return top;
}

static double data_w(const cli_plot *plot)
{
    return plot->panel_w > 0 ? plot->panel_w : DATA_W;
}

static double data_h(const cli_plot *plot)
{
    return plot->panel_h > 0 ? plot->panel_h : DATA_H;
}

static void draw_plot(cairo_t *cr, const void *ctx)
{
    const cli_plot *plot = ctx;
    cli_font(cr, TITLE_PT, true);
    cli_color(cr, INK);
    cli_text_at(cr, LEFT, 26, CLI_START, plot->title);
    (void)draw_rows(cr, plot, data_w(plot), data_h(plot), true);
}

/* Names are measured before there is a page. */
static double height(const cli_plot *plot)
{
    cairo_surface_t *none = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
    cairo_t *cr = cairo_create(none);
    const double h = draw_rows(cr, plot, data_w(plot), data_h(plot), false);
    cairo_destroy(cr);
    cairo_surface_destroy(none);
    return ceil(h);
}

sac_status cli_plot_write(const char *path, const cli_plot *plot, sac_error *err)
{
    const double w = (double)plot->n_columns * (LEFT + data_w(plot) + RIGHT);
    return cli_page_write(path, plot->title, w, height(plot), draw_plot, plot, err);
}
