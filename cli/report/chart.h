/*
 * Charts as SVG within a page: bars of times, and lines. Colors are the page's own, so that they
 * suit light and dark; each chart stands beside a table of the same numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_CHART_H
#define CLI_REPORT_CHART_H

#include <stdio.h>

#include <saccade/base.h>

enum { CLI_CHART_COLORS = 6 };

typedef struct cli_chart_bar {
    const char *label;
    double ns, published_ns; /* 0: none */
    double speed_up;
    bool is_chosen;
} cli_chart_bar;

/* Horizontal bars over a logarithmic axis of time; published times are hollow. */
void cli_chart_bars(FILE *page, const char *title, const cli_chart_bar *bars, size_t n);

typedef struct cli_chart_series {
    char label[120];
    double *x, *y; /* (n), positive */
    size_t n;
    bool dashed;  /* published */
    bool is_dots; /* without a line between them */
} cli_chart_series;

typedef struct cli_chart {
    const char *title, *x_label, *y_label;
    const cli_chart_series *series;
    size_t n_series;
    const double *roofs; /* (n_roofs) y = roof times x, each with its name */
    const char *const *roof_names;
    size_t n_roofs;
    const double *tops; /* (n_tops) y = top, as roofs */
    const char *const *top_names;
    size_t n_tops;
} cli_chart;

/* Lines over two logarithmic axes, with a legend. Without any point nothing is drawn. */
void cli_chart_lines(FILE *page, const cli_chart *chart);

/* "1e+03" as "1000", "0.01"; and of a time in ns: "10 us". 16 bytes are enough. */
const char *cli_chart_number(char *text, size_t size, double value);

/* A figure's begin, with its title for who does not see it, and its end with a caption. */
void cli_chart_open(FILE *page, const char *title, int w, int h);
void cli_chart_close(FILE *page, const char *caption);

#endif
