/*
 * Panels of features over time, one below the other, and under them maps of the layers side by
 * side: what is predicted, and the truth where it is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "draw/ink.h"
#include "draw/page.h"

enum {
    LEFT = 90,
    RIGHT = 100, /* the color bar */
    TOP = 8,
    HEAD = 26, /* a panel's or a row's title */
    PANEL_H = 92,
    LABEL = 20,  /* over a map */
    GAP = 12,    /* below a panel or row, and between maps */
    AXIS_H = 50, /* with its numbers and name */
    MAX_MAP = 260,
    BAR_W = 16,
    BAR_STEPS = 64,
    TITLE = 18, /* from a panel's top to the base line of its title */
    BOTTOM = 8,
    MOST_LINES = 40 /* of layers, in a panel */
};

#define TEXT_PT 13
#define LINE 1.5         /* points: how thick */
#define LEAST_RANGE 0.01 /* of an axis, as a share of its values */

#define INK 0x303030
#define FRAME 0xB0B0B0
#define LAYER 0xD8D8D8
#define EMPTY 0xF0F0F0    /* a cell without frames */
#define ENVELOPE 0xA8CDE6 /* and Okabe and Ito's blue and vermilion */
#define MEAN 0x0072B2
#define TRUTH 0xD55E00

static const char *const titles[CLI_POOL_PANELS] = {
    "area of the pool (pixels)",
    "mean intensity of the pool (levels, 0 to 255)",
    "width-length ratio of the pool",
    "spatters in a frame",
    "variance of the area over the window (pixels^2)",
    "variance of the mean intensity over the window (levels^2)",
    "lack-of-fusion pores / mm^2",
    "keyhole pores / mm^2"};

/* Viridis, by matplotlib's authors (CC0), in steps of an eighth. */
static const uint8_t colors[][3] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                    {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                    {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};

static uint32_t color_of(double share)
{
    const int n = (int)(sizeof colors / sizeof *colors) - 1;
    double at = fmin(fmax(share, 0), 1) * n; /* NaN is dark */
    int i = at < n ? (int)at : n - 1;
    uint32_t color = 0;
    for (int k = 0; k < 3; k++) {
        double c = colors[i][k] + (at - i) * (colors[i + 1][k] - colors[i][k]);
        color = color << 8 | (uint32_t)lround(c);
    }
    return color;
}

static void put_frame(cairo_t *cr, double x, double y, double w, double h)
{
    cli_color(cr, FRAME);
    cli_box(cr, x, y, w, h);
}

static const cli_pool_column *column_at(const cli_pool_picture *p, int panel, int x)
{
    return &p->columns[panel][x * p->n_columns / CLI_POOL_COLUMNS];
}

/* How a column's mean is found. */
static double mean_of(const cli_pool_column *column, bool truth)
{
    return (truth ? column->truth : column->sum) / (double)column->n;
}

/* Of columns with frames; a gap is left where there are none. */
static void put_line(cairo_t *cr, const cli_pool_picture *p, int panel, bool truth,
                     const cli_scale *scale)
{
    cli_color(cr, truth ? TRUTH : MEAN);
    cairo_set_line_width(cr, LINE);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    for (int x = 0; x < CLI_POOL_COLUMNS; x++) {
        const cli_pool_column *column = column_at(p, panel, x);
        if (column->n > 0) {
            const double y = cli_scale_at(scale, mean_of(column, truth));
            cairo_line_to(cr, LEFT + x, y);
            cairo_line_to(cr, LEFT + x + 1, y);
        } else {
            cairo_new_sub_path(cr);
        }
    }
    cairo_stroke(cr);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

/* From the least to the greatest, column by column, as one area. */
static void put_envelope(cairo_t *cr, const cli_pool_picture *p, int panel, const cli_scale *scale)
{
    for (int x = 0; x < CLI_POOL_COLUMNS; x++) {
        const cli_pool_column *column = column_at(p, panel, x);
        if (column->n > 0) {
            const double top = cli_scale_at(scale, column->max);
            const double end = cli_scale_at(scale, column->min);
            cairo_rectangle(cr, LEFT + x, top, 1, fmax(end - top, LINE));
        }
    }
    cli_color(cr, ENVELOPE);
    cairo_fill(cr);
}

static void put_layers(cairo_t *cr, const cli_pool_picture *p, int y)
{
    for (int64_t i = 1; i < p->n_layers && p->n_layers <= MOST_LINES; i++) {
        double share = (double)p->begins[i] / (double)p->n_frames;
        cli_fill(cr, LEFT + share * CLI_POOL_COLUMNS, y, 1, PANEL_H, LAYER);
    }
}

/* From min to max, with two to six ticks: panels and maps are small. What is all but constant gets
 * a range whose ticks differ in four digits. */
static cli_scale few_ticks(double min, double max, double from, double to)
{
    double largest = fmax(fabs(min), fabs(max));
    double least = largest > 0 ? LEAST_RANGE * largest : 1;
    if (!(max - min >= least)) {
        min = largest > 0 ? 0.5 * (min + max - least) : 0;
        max = min + least;
    }
    double wanted = 0.2 * (max - min);
    double power = pow(10, floor(log10(wanted)));
    double digit = wanted / power;
    const cli_axis axis = {.step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10)};
    cli_scale scale;
    cli_scale_open(&scale, &axis, min, max, false);
    scale.from = from;
    scale.to = to;
    return scale;
}

static void put_panel(cairo_t *cr, const cli_pool_picture *p, int panel, int y)
{
    double min = INFINITY, max = -INFINITY;
    bool density = panel >= CLI_POOL_PANELS - CLI_POOL_DENSITIES;
    for (int i = 0; i < p->n_columns; i++) {
        const cli_pool_column *column = &p->columns[panel][i];
        if (column->n > 0) {
            double truth = density && p->has_truth ? mean_of(column, true) : column->min;
            min = fmin(min, fmin(column->min, truth));
            max = fmax(max, fmax(column->max, truth));
        }
    }
    cli_scale scale = few_ticks(min, max, y + HEAD + PANEL_H - 3, y + HEAD + 1);
    char text[120];
    snprintf(text, sizeof text, "%s%s", titles[panel],
             panel == 0                          ? ": mean (line), least to greatest (band)"
             : !density                          ? ""
             : p->has_prediction && p->has_truth ? ": predicted (blue), truth (orange)"
             : p->has_prediction                 ? ", predicted"
                                                 : ", truth");
    cli_color(cr, INK);
    cli_text_at(cr, LEFT, y + TITLE, CLI_START, text);
    put_layers(cr, p, y + HEAD);
    bool values = !density || p->has_prediction;
    if (values) {
        put_envelope(cr, p, panel, &scale);
    }
    if (density && p->has_truth) {
        put_line(cr, p, panel, true, &scale);
    }
    if (values) {
        put_line(cr, p, panel, false, &scale);
    }
    put_frame(cr, LEFT, y + HEAD, CLI_POOL_COLUMNS, PANEL_H);
    if (min <= max) {
        cli_color(cr, INK);
        cli_y_axis(cr, LEFT, &scale, false);
    }
}

static double cell_value(const cli_pool_cell *cell, int density, bool truth)
{
    return (truth ? cell->truth : cell->prediction)[density] / (double)cell->n;
}

/* The largest mean of any cell, predicted or true. */
static double largest(const cli_pool_picture *p, int density)
{
    double max = 0;
    for (int i = 0; i < p->n_maps * p->n_cells * p->n_cells; i++) {
        for (int truth = 0; truth < 2 && p->cells[i].n > 0; truth++) {
            max = fmax(max, cell_value(&p->cells[i], density, truth));
        }
    }
    return max > 0 ? max : 1;
}

static void put_map(cairo_t *cr, const cli_pool_picture *p, int map, int density, bool truth,
                    double x, double y, double side, double max)
{
    const int n = p->n_cells;
    uint32_t *rgb = cli_grow(NULL, 0, (size_t)n * (size_t)n, sizeof *rgb);
    for (int j = 0; j < n; j++) {
        const cli_pool_cell *row = &p->cells[(map * n + n - 1 - j) * n]; /* its y points up */
        for (int i = 0; i < n; i++) {
            rgb[j * n + i] = row[i].n ? color_of(cell_value(&row[i], density, truth) / max) : EMPTY;
        }
    }
    cli_cells(cr, x, y, side, side, rgb, n, n);
    put_frame(cr, x, y, side, side);
    free(rgb);
}

static void put_bar(cairo_t *cr, double x, double y, double side, double max)
{
    uint32_t rgb[BAR_STEPS];
    const cli_scale scale = few_ticks(0, max, y + side, y);
    for (int j = 0; j < BAR_STEPS; j++) {
        rgb[j] = color_of(1 - (double)j / (BAR_STEPS - 1));
    }
    cli_cells(cr, x, y, BAR_W, side, rgb, 1, BAR_STEPS);
    cli_color(cr, INK);
    cli_y_axis(cr, x + BAR_W, &scale, true);
}

static int map_side(const cli_pool_picture *p)
{
    int side = p->n_maps ? (CLI_POOL_COLUMNS - (p->n_maps - 1) * GAP) / p->n_maps : 0;
    return side < MAX_MAP ? side : MAX_MAP;
}

/* A row of maps, a layer each; with numbers below where it is the last. */
static void put_maps(cairo_t *cr, const cli_pool_picture *p, int density, bool truth, int y,
                     bool last)
{
    char text[120];
    int side = map_side(p);
    double max = largest(p, density);
    snprintf(text, sizeof text, "%s, %s, over x and y as the signals have them",
             titles[CLI_POOL_PANELS - CLI_POOL_DENSITIES + density], truth ? "truth" : "predicted");
    cli_color(cr, INK);
    cli_text_at(cr, LEFT, y + TITLE, CLI_START, text);
    y += HEAD;
    for (int k = 0; k < p->n_maps; k++) {
        int x = LEFT + k * (side + GAP);
        snprintf(text, sizeof text, "layer %" PRId64, p->layer[k] + 1);
        cli_color(cr, INK);
        cli_text_at(cr, x, y + LABEL - 6, CLI_START, text);
        put_map(cr, p, k, density, truth, x, y + LABEL, side, max);
        cli_scale scale = few_ticks(p->first[0], p->last[0], x, x + side);
        if (last) {
            cli_color(cr, INK);
            cli_x_axis(cr, y + LABEL + side, &scale, "x");
        }
    }
    y += LABEL;
    cli_scale scale = few_ticks(p->first[1], p->last[1], y + side, y);
    cli_color(cr, INK);
    cli_y_axis(cr, LEFT, &scale, false);
    cli_text_at(cr, LEFT - 30, y - 6, CLI_START, "y");
    put_bar(cr, LEFT + p->n_maps * (side + GAP), y, side, max);
}

static int n_panels(const cli_pool_picture *p)
{
    return p->has_prediction || p->has_truth ? CLI_POOL_PANELS
                                             : CLI_POOL_PANELS - CLI_POOL_DENSITIES;
}

static int n_rows(const cli_pool_picture *p)
{
    return p->n_maps ? CLI_POOL_DENSITIES * (p->has_prediction + p->has_truth) : 0;
}

static void draw(cairo_t *cr, const void *ctx)
{
    const cli_pool_picture *p = ctx;
    int y = TOP;
    cli_font(cr, TEXT_PT, false);
    for (int i = 0; i < n_panels(p); i++, y += HEAD + PANEL_H + GAP) {
        put_panel(cr, p, i, y);
    }
    const cli_scale seconds =
        cli_scale_between(0, (double)p->n_frames / p->rate_hz, LEFT, LEFT + CLI_POOL_COLUMNS);
    cli_x_axis(cr, y - GAP, &seconds, "time (s)");
    y += AXIS_H;
    for (int i = 0; i < n_rows(p); i++, y += HEAD + LABEL + map_side(p) + GAP) {
        bool both = p->has_prediction && p->has_truth;
        put_maps(cr, p, both ? i / 2 : i, both ? i % 2 : p->has_truth, y, i + 1 == n_rows(p));
    }
}

sac_status cli_pool_draw(const cli_pool_picture *p, const char *path, sac_error *err)
{
    int h = TOP + n_panels(p) * (HEAD + PANEL_H + GAP) + AXIS_H + BOTTOM;
    h += n_rows(p) ? n_rows(p) * (HEAD + LABEL + map_side(p) + GAP) + AXIS_H : 0;
    return cli_page_write(path, "Melt pools over time", LEFT + CLI_POOL_COLUMNS + RIGHT, h, draw, p,
                          err);
}
