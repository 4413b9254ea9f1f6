/*
 * One axis of a plot: its range, where its ticks are, and where a value falls.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DRAW_PLOT_AXIS_H
#define CLI_DRAW_PLOT_AXIS_H

#include "plot.h"

#define CLI_MAX_TICKS 32

typedef struct cli_scale {
    double min, max;
    double from, to; /* where min and max are drawn */
    int log_base;
    double tick[CLI_MAX_TICKS];
    int n_ticks;
} cli_scale;

/*
 * The scale for an axis whose data span min to max. `widen` lets a range that comes from the data
 * grow to whole ticks.
 */
void cli_scale_open(cli_scale *scale, const cli_axis *axis, double min, double max, bool widen);

double cli_scale_at(const cli_scale *scale, double value);

/* "0.25", "1.5k", "20M"; returns `text`. 24 bytes are enough. */
const char *cli_tick_text(char *text, size_t size, double value);

#endif
