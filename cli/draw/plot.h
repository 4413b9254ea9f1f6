/*
 * The one plot module: panels of line and bar series, as PNG, SVG or PDF. A plot is described as
 * data, then drawn by Cairo and written whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DRAW_PLOT_H
#define CLI_DRAW_PLOT_H

#include <saccade/base.h>

typedef struct cli_axis {
    const char *label;
    double min, max;          /* both 0: from the data */
    int log_base;             /* 0: linear; 2 or 10: logarithmic, over positive values */
    double step;              /* between ticks of a linear axis; 0: chosen */
    const char *const *names; /* of x, in place of ticks: the i-th stands below i + 0.5 */
    size_t n_names;
} cli_axis;

typedef enum cli_series_kind { CLI_LINE, CLI_LINE_POINTS, CLI_POINTS, CLI_BARS } cli_series_kind;

typedef struct cli_series {
    const char *label;   /* for the legend; NULL: not in it */
    const double *x, *y; /* n values each, x rising; a bar stands from its x to the next one's */
    size_t n;
    cli_series_kind kind;
    bool right;     /* measured on the right axis */
    bool dashed;    /* lines; bars are hollow */
    double width;   /* of bars; 0: to the next one's x */
    uint32_t color; /* 0xRRGGBB; 0: by its place in the panel */
} cli_series;

/* NAN in y makes a vertical line at x, NAN in x a horizontal one at y, else it is a point. */
typedef struct cli_mark {
    double x, y;
    const char *text;
} cli_mark;

typedef struct cli_panel {
    const char *title;
    cli_axis x, y;
    const cli_axis *right; /* NULL: none */
    const cli_series *series;
    size_t n_series;
    const cli_mark *marks;
    size_t n_marks;
    const uint32_t *strip; /* (n_strip) colors 0xRRGGBB along the whole of x, above the data */
    size_t n_strip;
} cli_panel;

typedef struct cli_plot {
    const char *title;
    const cli_panel *panels; /* row by row */
    size_t n_panels;
    size_t n_columns;
    double panel_w, panel_h; /* of a panel's data, points; 0: as usual */
} cli_plot;

/* Draws to `path`, whole or not at all; "-" is standard output. As cli_page_write. */
SAC_NODISCARD sac_status cli_plot_write(const char *path, const cli_plot *plot, sac_error *err);

#endif
