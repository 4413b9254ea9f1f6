/*
 * Plots drawn as SVG: panels in a grid, each with axes, series, marks and a legend beneath.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>

#include "command.h"
#include "plot_axis.h"

/* Pixels of a panel: what lies around its data area, and the whole. */
enum {
    PANEL_W = 480,
    PANEL_H = 340,
    LEFT = 66,
    RIGHT = 62,
    TOP = 34,
    BOTTOM = 72,
    HEAD = 40, /* the plot's title */
    POINT = 4, /* half of the largest point: on the frame it is not cut */
    DATA_W = PANEL_W - LEFT - RIGHT,
    DATA_H = PANEL_H - TOP - BOTTOM
};

/* Okabe and Ito's colors, told apart by nearly every eye and in gray print, the strong ones first.
 */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#56b4e9", "#e69f00", "#000000"};

typedef struct drawing {
    FILE *file;
    const cli_panel *panel;
    size_t index; /* of the panel: names its clip path */
    cli_scale x, y, right;
} drawing;

static const char *color(size_t i)
{
    return colors[i % (sizeof colors / sizeof *colors)];
}

/* Text between tags: XML's marks escaped; bytes that XML does not allow become U+FFFD. */
static void put_text(FILE *file, const char *text)
{
    while (text && *text) {
        int n = cli_utf8_length(text);
        if (n == 0 || (unsigned char)*text < 0x20) {
            fputs("&#xfffd;", file);
            n = 1;
        } else if (*text == '&') {
            fputs("&amp;", file);
        } else if (*text == '<') {
            fputs("&lt;", file);
        } else if (*text == '>') {
            fputs("&gt;", file);
        } else {
            fwrite(text, 1, (size_t)n, file);
        }
        text += n;
    }
}

/* `style` is attributes; the text is not escaped yet. */
static void put_label(FILE *file, double x, double y, const char *style, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    put_text(file, text);
    fputs("</text>\n", file);
}

static void put_line(FILE *file, double x1, double y1, double x2, double y2, const char *class)
{
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1,
            x2, y2, class);
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
    d->x.to = DATA_W;
    span(d->panel, false, false, &min, &max);
    cli_scale_open(&d->y, &d->panel->y, min, max, true);
    d->y.from = DATA_H;
    d->y.to = 0;
    if (d->panel->right) {
        span(d->panel, false, true, &min, &max);
        cli_scale_open(&d->right, d->panel->right, min, max, true);
        d->right.from = DATA_H;
        d->right.to = 0;
    }
}

/* Names below an axis, slanted, so that long ones do not meet. */
static void draw_names(const drawing *d, const cli_axis *axis)
{
    char style[96];
    for (size_t i = 0; i < axis->n_names; i++) {
        const double x = cli_scale_at(&d->x, (double)i + 0.5);
        snprintf(style, sizeof style, "text-anchor=\"end\" transform=\"rotate(-25 %.1f %d)\"",
                 x + 4, DATA_H + 12);
        put_label(d->file, x + 4, DATA_H + 12, style, axis->names[i]);
    }
}

static void draw_axes(const drawing *d)
{
    FILE *f = d->file;
    char text[24];
    for (int i = 0; i < d->y.n_ticks; i++) {
        double y = cli_scale_at(&d->y, d->y.tick[i]);
        put_line(f, 0, y, DATA_W, y, "grid");
        put_label(f, -6, y + 4, "text-anchor=\"end\"",
                  cli_tick_text(text, sizeof text, d->y.tick[i]));
    }
    draw_names(d, &d->panel->x);
    for (int i = 0; d->panel->x.n_names == 0 && i < d->x.n_ticks; i++) {
        double x = cli_scale_at(&d->x, d->x.tick[i]);
        put_line(f, x, 0, x, DATA_H, "grid");
        put_line(f, x, DATA_H, x, DATA_H + 4, "axis");
        put_label(f, x, DATA_H + 17, "text-anchor=\"middle\"",
                  cli_tick_text(text, sizeof text, d->x.tick[i]));
    }
    for (int i = 0; d->panel->right && i < d->right.n_ticks; i++) {
        double y = cli_scale_at(&d->right, d->right.tick[i]);
        put_line(f, DATA_W, y, DATA_W + 4, y, "axis");
        put_label(f, DATA_W + 7, y + 4, "", cli_tick_text(text, sizeof text, d->right.tick[i]));
    }
    put_label(f, DATA_W / 2.0, DATA_H + 36, "text-anchor=\"middle\"", d->panel->x.label);
    put_label(f, -DATA_H / 2.0, -50, "text-anchor=\"middle\" transform=\"rotate(-90)\"",
              d->panel->y.label);
    if (d->panel->right) {
        put_label(f, DATA_H / 2.0, -DATA_W - 48, "text-anchor=\"middle\" transform=\"rotate(90)\"",
                  d->panel->right->label);
    }
}

static void draw_bars(const drawing *d, const cli_series *s, const cli_scale *y, const char *fill)
{
    double floor_y = y->log_base ? y->from : cli_scale_at(y, 0);
    fprintf(d->file, "<path fill=\"%s\" fill-opacity=\"0.55\" d=\"", fill);
    for (size_t k = 0; k < s->n; k++) {
        double x1 = s->x[k];
        double x2 = k + 1 < s->n && s->width == 0 ? s->x[k + 1] : x1 + last_bar(s);
        fprintf(d->file, "M%.2f %.2fV%.2fH%.2fV%.2fZ", cli_scale_at(&d->x, x1), floor_y,
                cli_scale_at(y, s->y[k]), cli_scale_at(&d->x, x2), floor_y);
    }
    fputs("\"/>\n", d->file);
}

static void draw_series(const drawing *d, const cli_series *s, const char *stroke)
{
    const cli_scale *y = s->right ? &d->right : &d->y;
    if (s->kind == CLI_BARS) {
        draw_bars(d, s, y, stroke);
        return;
    }
    if (s->kind != CLI_POINTS) {
        fprintf(d->file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
                stroke, s->dashed ? " stroke-dasharray=\"6 4\"" : "");
        for (size_t k = 0; k < s->n; k++) {
            fprintf(d->file, "%.2f,%.2f ", cli_scale_at(&d->x, s->x[k]), cli_scale_at(y, s->y[k]));
        }
        fputs("\"/>\n", d->file);
    }
    for (size_t k = 0; s->kind != CLI_LINE && k < s->n; k++) {
        fprintf(d->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n",
                cli_scale_at(&d->x, s->x[k]), cli_scale_at(y, s->y[k]), stroke);
    }
}

static void draw_mark(const drawing *d, const cli_mark *mark)
{
    double x = isnan(mark->x) ? DATA_W : cli_scale_at(&d->x, mark->x);
    double y = isnan(mark->y) ? 0 : cli_scale_at(&d->y, mark->y);
    bool end = x > DATA_W / 2.0; /* the text stands on the roomy side */
    if (isnan(mark->y)) {
        put_line(d->file, x, 0, x, DATA_H, "mark");
        y = 14;
    } else if (isnan(mark->x)) {
        put_line(d->file, 0, y, DATA_W, y, "mark");
        y -= 4;
    } else {
        fprintf(d->file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" class=\"mark\"/>\n", x, y);
        y -= 8;
    }
    put_label(d->file, x + (end ? -5 : 5), y, end ? "text-anchor=\"end\"" : "", mark->text);
}

static void draw_legend(const drawing *d)
{
    const double char_w = 6.3; /* of the 11-pixel font, about */
    double x = 0;
    double y = DATA_H + 56;
    for (size_t i = 0; i < d->panel->n_series; i++) {
        const cli_series *s = &d->panel->series[i];
        if (!s->label) {
            continue;
        }
        bool bars = s->kind == CLI_BARS;
        double w = 21 + char_w * (double)strlen(s->label) + 16;
        if (x > 0 && x + w > DATA_W + RIGHT) {
            x = 0;
            y += 13;
        }
        fprintf(d->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"%d\" fill=\"%s\"%s/>\n",
                x, bars ? y - 9 : y - 5, bars ? 10 : 2, color(i),
                bars ? " fill-opacity=\"0.55\"" : "");
        put_label(d->file, x + 21, y, "", s->label);
        x += w;
    }
}

static void draw_panel(drawing *d, double left, double top)
{
    FILE *f = d->file;
    open_scales(d);
    fprintf(f, "<g transform=\"translate(%.1f %.1f)\">\n", left + LEFT, top + TOP);
    put_label(f, 0, -12, "class=\"title\"", d->panel->title);
    draw_axes(d);
    fprintf(
        f,
        "<clipPath id=\"data%zu\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n"
        "<g clip-path=\"url(#data%zu)\">\n",
        d->index, -POINT, -POINT, DATA_W + 2 * POINT, DATA_H + 2 * POINT, d->index);
    for (size_t i = 0; i < d->panel->n_series; i++) {
        draw_series(d, &d->panel->series[i], color(i));
    }
    for (size_t i = 0; i < d->panel->n_marks; i++) {
        draw_mark(d, &d->panel->marks[i]);
    }
    fputs("</g>\n", f);
    fprintf(f, "<rect width=\"%d\" height=\"%d\" class=\"axis\"/>\n", DATA_W, DATA_H);
    draw_legend(d);
    fputs("</g>\n", f);
}

static void draw_plot(FILE *f, const cli_plot *plot)
{
    size_t columns = plot->n_columns;
    size_t rows = (plot->n_panels + columns - 1) / columns;
    size_t w = columns * PANEL_W;
    size_t h = HEAD + rows * PANEL_H;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
            "viewBox=\"0 0 %zu %zu\" font-family=\"Helvetica, Arial, sans-serif\" "
            "font-size=\"11\" fill=\"#222\">\n<title>",
            w, h, w, h);
    put_text(f, plot->title);
    fputs("</title>\n<style>.grid{stroke:#ddd}.axis{stroke:#555;fill:none}"
          ".mark{stroke:#555;fill:none;stroke-dasharray:3 3}.title{font-weight:bold;font-size:13px}"
          "</style>\n",
          f);
    fprintf(f, "<rect width=\"%zu\" height=\"%zu\" fill=\"white\"/>\n", w, h);
    put_label(f, LEFT, 26, "font-size=\"16\" font-weight=\"bold\"", plot->title);
    for (size_t i = 0; i < plot->n_panels; i++) {
        drawing d = {.file = f, .panel = &plot->panels[i], .index = i};
        draw_panel(&d, (double)(i % columns * PANEL_W), (double)(HEAD + i / columns * PANEL_H));
    }
    fputs("</svg>\n", f);
}

sac_status cli_plot_write(const char *path, const cli_plot *plot, sac_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        exit(cli_fail("out of memory"));
    }
    draw_plot(file, plot);
    if (fclose(file) != 0) {
        exit(cli_fail("out of memory"));
    }
    sac_status st = sac_file_write(path, text, size, err);
    free(text);
    return st;
}
