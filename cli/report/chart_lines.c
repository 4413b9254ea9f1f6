/*
 * Lines over two logarithmic axes as SVG.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "chart.h"
#include "html.h"

enum { WIDTH = 900, PLOT_H = 380, LEFT = 90, RIGHT = 44, TOP = 12, BOTTOM = 52, LEGEND = 20 };

typedef struct axis {
    double low, high; /* powers of ten, or the data's own where it spans less than two */
} axis;

static void widen(axis *a, double value)
{
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

static void settle(axis *a)
{
    a->low = pow(10, floor(log10(a->low) + 1e-9));
    a->high = fmax(pow(10, ceil(log10(a->high) - 1e-9)), a->low * 10);
}

static double across(const axis *x, double value)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log10(value / x->low) / log10(x->high / x->low);
}

static double up(const axis *y, double value)
{
    return TOP + PLOT_H * (1 - log10(value / y->low) / log10(y->high / y->low));
}

static void draw_axes(FILE *page, const cli_chart *chart, const axis *x, const axis *y)
{
    char text[16];
    for (double v = x->low; v < x->high * 1.5; v *= 10) {
        fprintf(page, "<path class=\"grid\" d=\"M%.1f %d v%d\"/>", across(x, v), TOP, PLOT_H);
        fprintf(page, "<text class=\"dim\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                across(x, v), TOP + PLOT_H + 18, cli_chart_number(text, sizeof text, v));
    }
    for (double v = y->low; v < y->high * 1.5; v *= 10) {
        fprintf(page, "<path class=\"grid\" d=\"M%d %.1f h%d\"/>", LEFT, up(y, v),
                WIDTH - LEFT - RIGHT);
        fprintf(page, "<text class=\"dim\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n",
                LEFT - 8, up(y, v) + 4, cli_chart_number(text, sizeof text, v));
    }
    fprintf(page, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">", (WIDTH + LEFT - RIGHT) / 2,
            TOP + PLOT_H + 40);
    cli_html_text(page, chart->x_label);
    fprintf(page, "</text><text text-anchor=\"middle\" transform=\"translate(16 %d) rotate(-90)\">",
            TOP + PLOT_H / 2);
    cli_html_text(page, chart->y_label);
    fputs("</text>\n", page);
}

/* A point's mark: a circle, then a square and a diamond, so that lines of one color are told apart.
 */
static void draw_mark(FILE *page, const cli_chart_series *s, size_t i, double x, double y)
{
    const double r = s->is_dots ? 4 : 3;
    fprintf(page, "<path class=\"%s s%zu\" d=\"M%.1f %.1f", s->dashed ? "hollow" : "dot",
            i % CLI_CHART_COLORS, x - r, y);
    switch (i / CLI_CHART_COLORS % 3) {
    case 0:
        fprintf(page, "a%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0z\"/>", r, r, 2 * r, r, r, -2 * r);
        break;
    case 1:
        fprintf(page, "v%gh%gv%gh%gz\"/>", -r, 2 * r, 2 * r, -2 * r);
        break;
    default:
        fprintf(page, "l%g %gl%g %gl%g %gz\"/>", r, -r - 1, r, r + 1, -r, r + 1);
    }
}

static void draw_series(FILE *page, const cli_chart_series *s, size_t i, const axis *x,
                        const axis *y)
{
    const size_t color = i % CLI_CHART_COLORS;
    const int at = TOP + PLOT_H + BOTTOM + (int)i * LEGEND;
    char line[32];
    snprintf(line, sizeof line, "line s%zu %s%zu", color, s->dashed ? "dashed" : "t",
             s->dashed ? 0 : i / CLI_CHART_COLORS % 3);
    if (!s->is_dots) {
        fprintf(page, "<path class=\"%s\" d=\"M%d %d h28\"/><path class=\"%s\" d=\"", line, LEFT,
                at + 4, line);
        for (size_t k = 0; k < s->n; k++) {
            fprintf(page, "%c%.1f %.1f", k == 0 ? 'M' : 'L', across(x, s->x[k]), up(y, s->y[k]));
        }
        fputs("\"/>\n", page);
    }
    for (size_t k = 0; k < s->n; k++) {
        draw_mark(page, s, i, across(x, s->x[k]), up(y, s->y[k]));
    }
    draw_mark(page, s, i, LEFT + 14, at + 4);
    fprintf(page, "<text x=\"%d\" y=\"%d\">", LEFT + 36, at + 8);
    cli_html_text(page, s->label);
    fputs("</text>\n", page);
}

/* y = roof x, where it is within the plot. */
static void draw_roof(FILE *page, double roof, const char *name, const axis *x, const axis *y)
{
    const double from = fmax(x->low, y->low / roof), to = fmin(x->high, y->high / roof);
    if (!(from < to)) {
        return;
    }
    fprintf(page, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1f\"/>", across(x, from),
            up(y, from * roof), across(x, to), up(y, to * roof));
    fprintf(page, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">", across(x, to) - 10,
            up(y, to * roof) + 18);
    cli_html_text(page, name);
    fputs("</text>\n", page);
}

/* From where the highest roof reaches it. */
static void draw_top(FILE *page, const cli_chart *chart, size_t i, const axis *x, const axis *y)
{
    double from = x->high;
    for (size_t k = 0; k < chart->n_roofs; k++) {
        from = fmin(from, fmax(x->low, chart->tops[i] / chart->roofs[k]));
    }
    from = chart->n_roofs ? from : x->low;
    fprintf(page, "<path class=\"roof\" d=\"M%.1f %.1fH%.1f\"/>", across(x, from),
            up(y, chart->tops[i]), across(x, x->high));
    fprintf(page, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">", across(x, x->high) - 10,
            up(y, chart->tops[i]) - 6);
    cli_html_text(page, chart->top_names[i]);
    fputs("</text>\n", page);
}

void cli_chart_lines(FILE *page, const cli_chart *chart)
{
    axis x = {INFINITY, 0}, y = {INFINITY, 0};
    for (size_t i = 0; i < chart->n_series; i++) {
        for (size_t k = 0; k < chart->series[i].n; k++) {
            widen(&x, chart->series[i].x[k]);
            widen(&y, chart->series[i].y[k]);
        }
    }
    if (!isfinite(x.low)) {
        return;
    }
    for (size_t i = 0; i < chart->n_tops; i++) {
        widen(&y, chart->tops[i]);
    }
    settle(&x);
    settle(&y);
    cli_chart_open(page, chart->title, WIDTH,
                   TOP + PLOT_H + BOTTOM + (int)chart->n_series * LEGEND);
    draw_axes(page, chart, &x, &y);
    for (size_t i = 0; i < chart->n_roofs; i++) {
        draw_roof(page, chart->roofs[i], chart->roof_names[i], &x, &y);
    }
    for (size_t i = 0; i < chart->n_tops; i++) {
        draw_top(page, chart, i, &x, &y);
    }
    for (size_t i = 0; i < chart->n_series; i++) {
        draw_series(page, &chart->series[i], i, &x, &y);
    }
    cli_chart_close(page, chart->title);
}
