/*
 * Panels of features over time, one below the other, and under them maps of the layers side by
 * side: what is predicted, and the truth where it is known.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "draw/canvas.h"

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
    BOTTOM = 8,
    MOST_LINES = 40 /* of layers, in a panel */
};

#define LEAST_RANGE 0.01 /* of an axis, as a share of its values */

#define PAPER 0xFFFFFF
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

static void put_box(const cli_canvas *c, int x, int y, int w, int h)
{
    cli_canvas_fill(c, x, y, w, 1, FRAME);
    cli_canvas_fill(c, x, y + h - 1, w, 1, FRAME);
    cli_canvas_fill(c, x, y, 1, h, FRAME);
    cli_canvas_fill(c, x + w - 1, y, 1, h, FRAME);
}

/* How a column's mean is found. */
static double mean_of(const cli_pool_column *column, bool truth)
{
    return (truth ? column->truth : column->sum) / (double)column->n;
}

static void put_line(const cli_canvas *c, const cli_pool_picture *p, int panel, bool truth,
                     const cli_scale *scale)
{
    int before = -1;
    for (int x = 0; x < CLI_POOL_COLUMNS; x++) {
        const cli_pool_column *column = &p->columns[panel][x * p->n_columns / CLI_POOL_COLUMNS];
        if (column->n == 0) {
            before = -1;
            continue;
        }
        int y = (int)lround(cli_scale_at(scale, mean_of(column, truth)));
        int from = before >= 0 && before < y ? before : y;
        int to = before > y ? before : y;
        cli_canvas_fill(c, LEFT + x, from, 1, to - from + 2, truth ? TRUTH : MEAN);
        before = y;
    }
}

static void put_envelope(const cli_canvas *c, const cli_pool_picture *p, int panel,
                         const cli_scale *scale)
{
    for (int x = 0; x < CLI_POOL_COLUMNS; x++) {
        const cli_pool_column *column = &p->columns[panel][x * p->n_columns / CLI_POOL_COLUMNS];
        if (column->n > 0) {
            int top = (int)lround(cli_scale_at(scale, column->max));
            int end = (int)lround(cli_scale_at(scale, column->min));
            cli_canvas_fill(c, LEFT + x, top, 1, end - top + 1, ENVELOPE);
        }
    }
}

static void put_layers(const cli_canvas *c, const cli_pool_picture *p, int y)
{
    for (int64_t i = 1; i < p->n_layers && p->n_layers <= MOST_LINES; i++) {
        double share = (double)p->begins[i] / (double)p->n_frames;
        cli_canvas_fill(c, LEFT + (int)(share * CLI_POOL_COLUMNS), y, 1, PANEL_H, LAYER);
    }
}

/* From min to max, with two to six ticks: panels and maps are small. What is all but constant gets
 * a range whose ticks differ in four digits. */
static cli_scale few_ticks(double min, double max, int from, int to)
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

static void put_panel(const cli_canvas *c, const cli_pool_picture *p, int panel, int y)
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
    cli_canvas_text(c, LEFT, y + 6, text);
    put_layers(c, p, y + HEAD);
    bool values = !density || p->has_prediction;
    if (values) {
        put_envelope(c, p, panel, &scale);
    }
    if (density && p->has_truth) {
        put_line(c, p, panel, true, &scale);
    }
    if (values) {
        put_line(c, p, panel, false, &scale);
    }
    put_box(c, LEFT, y + HEAD, CLI_POOL_COLUMNS, PANEL_H);
    if (min <= max) {
        cli_canvas_y_axis(c, LEFT, &scale, false);
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

static void put_map(const cli_canvas *c, const cli_pool_picture *p, int map, int density,
                    bool truth, int x, int y, int side, double max)
{
    for (int j = 0; j < side; j++) {
        for (int i = 0; i < side; i++) {
            int column = i * p->n_cells / side;
            int row = (side - 1 - j) * p->n_cells / side; /* the machine's y points up */
            const cli_pool_cell *cell = &p->cells[(map * p->n_cells + row) * p->n_cells + column];
            cli_canvas_fill(c, x + i, y + j, 1, 1,
                            cell->n ? color_of(cell_value(cell, density, truth) / max) : EMPTY);
        }
    }
    put_box(c, x, y, side, side);
}

static void put_bar(const cli_canvas *c, int x, int y, int side, double max)
{
    cli_scale scale = few_ticks(0, max, y + side - 1, y);
    for (int j = 0; j < side; j++) {
        cli_canvas_fill(c, x, y + j, BAR_W, 1, color_of(1 - (double)j / (side - 1)));
    }
    cli_canvas_y_axis(c, x + BAR_W, &scale, true);
}

static int map_side(const cli_pool_picture *p)
{
    int side = p->n_maps ? (CLI_POOL_COLUMNS - (p->n_maps - 1) * GAP) / p->n_maps : 0;
    return side < MAX_MAP ? side : MAX_MAP;
}

/* A row of maps, a layer each; with numbers below where it is the last. */
static void put_maps(const cli_canvas *c, const cli_pool_picture *p, int density, bool truth, int y,
                     bool last)
{
    char text[120];
    int side = map_side(p);
    double max = largest(p, density);
    snprintf(text, sizeof text, "%s, %s, over x and y as the signals have them",
             titles[CLI_POOL_PANELS - CLI_POOL_DENSITIES + density], truth ? "truth" : "predicted");
    cli_canvas_text(c, LEFT, y + 6, text);
    y += HEAD;
    for (int k = 0; k < p->n_maps; k++) {
        int x = LEFT + k * (side + GAP);
        snprintf(text, sizeof text, "layer %" PRId64, p->layer[k] + 1);
        cli_canvas_text(c, x, y, text);
        put_map(c, p, k, density, truth, x, y + LABEL, side, max);
        cli_scale scale = few_ticks(p->first[0], p->last[0], x, x + side - 1);
        if (last) {
            cli_canvas_x_axis(c, y + LABEL + side, &scale, "x");
        }
    }
    y += LABEL;
    cli_scale scale = few_ticks(p->first[1], p->last[1], y + side - 1, y);
    cli_canvas_y_axis(c, LEFT, &scale, false);
    cli_canvas_text(c, LEFT - 30, y - LABEL, "y");
    put_bar(c, LEFT + p->n_maps * (side + GAP), y, side, max);
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

static void draw(const cli_canvas *c, const void *ctx)
{
    const cli_pool_picture *p = ctx;
    int y = TOP;
    cli_canvas_fill(c, 0, 0, c->w, c->h, PAPER);
    for (int i = 0; i < n_panels(p); i++, y += HEAD + PANEL_H + GAP) {
        put_panel(c, p, i, y);
    }
    cli_scale seconds =
        cli_canvas_scale(0, (double)p->n_frames / p->rate_hz, LEFT, LEFT + CLI_POOL_COLUMNS - 1);
    cli_canvas_x_axis(c, y - GAP, &seconds, "time (s)");
    y += AXIS_H;
    for (int i = 0; i < n_rows(p); i++, y += HEAD + LABEL + map_side(p) + GAP) {
        bool both = p->has_prediction && p->has_truth;
        put_maps(c, p, both ? i / 2 : i, both ? i % 2 : p->has_truth, y, i + 1 == n_rows(p));
    }
}

sac_status cli_pool_draw(const cli_pool_picture *p, const char *path, sac_error *err)
{
    int h = TOP + n_panels(p) * (HEAD + PANEL_H + GAP) + AXIS_H + BOTTOM;
    h += n_rows(p) ? n_rows(p) * (HEAD + LABEL + map_side(p) + GAP) + AXIS_H : 0;
    return cli_canvas_write(path, LEFT + CLI_POOL_COLUMNS + RIGHT, h, INK, draw, p, err);
}
