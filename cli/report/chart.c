/*
 * Bars of times as SVG.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "chart.h"

#include <math.h>

#include "html.h"
#include "tables.h"

enum { LEFT = 210, WIDTH = 900, RIGHT = 240, BAR = 22, TOP = 8, BOTTOM = 34 };

void cli_chart_open(FILE *page, const char *title, int w, int h)
{
    fprintf(page,
            "<figure><svg role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "aria-label=\"",
            w, h, w, h);
    cli_html_text(page, title);
    fputs("\"><title>", page);
    cli_html_text(page, title);
    fputs("</title>\n", page);
}

void cli_chart_close(FILE *page, const char *caption)
{
    fputs("</svg><figcaption>", page);
    cli_html_text(page, caption);
    fputs("</figcaption></figure>\n", page);
}

const char *cli_chart_number(char *text, size_t size, double value)
{
    const double size_of = fabs(value);
    if (size_of >= 1e6) {
        snprintf(text, size, "%.3g %s", value / (size_of >= 1e9 ? 1e9 : 1e6),
                 size_of >= 1e9 ? "G" : "M");
    } else {
        snprintf(text, size, "%.6g", value);
    }
    return text;
}

/* Decades that hold all times. */
static void find_decades(double *low, double *high, const cli_chart_bar *bars, size_t n)
{
    *low = INFINITY;
    *high = 0;
    for (size_t i = 0; i < n; i++) {
        const double of[2] = {bars[i].ns, bars[i].published_ns};
        for (int k = 0; k < 2; k++) {
            *low = of[k] > 0 ? fmin(*low, of[k]) : *low;
            *high = fmax(*high, of[k]);
        }
    }
    *low = pow(10, floor(log10(*low) - 0.05)); /* a bar of the least time is to be seen */
    *high = fmax(pow(10, ceil(log10(*high))), *low * 10);
}

static double place(double ns, double low, double high)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log10(ns / low) / log10(high / low);
}

static void draw_axis(FILE *page, double low, double high, int h)
{
    char text[16];
    for (double ns = low; ns < high * 1.5; ns *= 10) {
        const double x = place(ns, low, high);
        fprintf(page, "<path class=\"grid\" d=\"M%.1f %d V%d\"/>", x, TOP, h - BOTTOM + 4);
        fprintf(page, "<text class=\"dim\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                x, h - BOTTOM + 20, cli_time_text(text, sizeof text, ns));
    }
}

static void draw_bar(FILE *page, const cli_chart_bar *bar, double y, double low, double high)
{
    char text[16];
    double end = LEFT;
    fprintf(page, "<text text-anchor=\"end\" x=\"%d\" y=\"%.1f\">", LEFT - 8, y + 14);
    cli_html_text(page, bar->label);
    fputs(bar->is_chosen ? " \xe2\x97\x80</text>" : "</text>", page);
    if (bar->ns > 0) {
        end = place(bar->ns, low, high);
        fprintf(page, "<rect class=\"bar %s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
                bar->is_chosen ? "s2" : "s0", LEFT, y + 3, end - LEFT, BAR - 6);
    }
    if (bar->published_ns > 0) {
        const double x = place(bar->published_ns, low, high);
        fprintf(page,
                "<rect class=\"hollow s1\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
                LEFT, y + 1, x - LEFT, BAR - 2);
        end = fmax(end, x);
    }
    fprintf(page, "<text x=\"%.1f\" y=\"%.1f\">", end + 6, y + 15);
    if (bar->ns > 0) {
        fputs(cli_time_text(text, sizeof text, bar->ns), page);
        if (bar->speed_up > 0) {
            fprintf(page, ", %.2fx", bar->speed_up);
        }
    }
    if (bar->published_ns > 0) {
        fprintf(page, "%spublished %s", bar->ns > 0 ? "; " : "",
                cli_time_text(text, sizeof text, bar->published_ns));
    }
    fputs("</text>\n", page);
}

void cli_chart_bars(FILE *page, const char *title, const cli_chart_bar *bars, size_t n)
{
    double low, high;
    bool is_published = false;
    const int h = TOP + BOTTOM + (int)n * BAR;
    find_decades(&low, &high, bars, n);
    if (n == 0 || !isfinite(low)) {
        return;
    }
    cli_chart_open(page, title, WIDTH, h);
    draw_axis(page, low, high, h);
    for (size_t i = 0; i < n; i++) {
        draw_bar(page, &bars[i], TOP + (double)i * BAR, low, high);
        is_published = is_published || bars[i].published_ns > 0;
    }
    cli_chart_close(page, is_published ? "Medians, on a logarithmic axis; hollow: published times; "
                                         "the mark: what a plan uses."
                                       : "Medians, on a logarithmic axis; the mark: what a plan "
                                         "uses.");
}
