/*
 * Collects what the picture of a build shows: a long build takes no more memory than a short one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plot.h"

#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "draw.h"
#include "layers.h"

#define FRAMES_A_CELL 3 /* on average, so that few cells are empty */
#define LEAST_CELLS 8   /* along a side */
#define MOST_CELLS 96

/* Features of the panels, as cli_pool_draw names them; the densities follow. */
static const int32_t features[CLI_POOL_PANELS - CLI_POOL_DENSITIES] = {0, 4, 3, 2, 20, 24};

struct cli_meltpool_plot {
    cli_pool_picture picture;
    int64_t n;     /* frames so far */
    int64_t layer; /* that the last one was in */
};

/* Chooses layers and cells. */
static void open_maps(cli_meltpool_plot *plot, const cli_meltpool_layers *layers)
{
    cli_pool_picture *p = &plot->picture;
    cli_meltpool_layers_square(layers, p->first, p->last);
    p->n_maps = p->n_layers < CLI_POOL_LAYERS ? (int)p->n_layers : CLI_POOL_LAYERS;
    for (int k = 0; k < p->n_maps; k++) {
        p->layer[k] = k * (p->n_layers - 1) / (p->n_maps > 1 ? p->n_maps - 1 : 1);
    }
    double cells = sqrt((double)layers->n_on / (double)p->n_layers / FRAMES_A_CELL);
    p->n_cells = (int)fmin(fmax(cells, LEAST_CELLS), MOST_CELLS);
    size_t along = (size_t)p->n_cells;
    p->cells = cli_grow(NULL, 0, (size_t)p->n_maps * along * along, sizeof *p->cells);
}

sac_status cli_meltpool_plot_open(cli_meltpool_plot **out, sac_frames_in *in,
                                  const cli_meltpool_view *view, sac_error *err)
{
    const sac_frames_info *info = sac_frames_get_info(in);
    cli_meltpool_plot *plot = *out = cli_grow(NULL, 0, 1, sizeof *plot);
    cli_pool_picture *p = &plot->picture;
    p->n_frames = info->n_frames;
    p->rate_hz = view->rate_hz;
    p->has_prediction = view->has_prediction;
    p->has_truth = info->has_truth;
    p->n_columns = info->n_frames < CLI_POOL_COLUMNS ? (int)info->n_frames : CLI_POOL_COLUMNS;
    if (!info->has_signals) {
        return SAC_OK;
    }
    cli_meltpool_layers layers = {.gap_frames = view->layer_gap_s * view->rate_hz};
    sac_status st = cli_meltpool_layers_scan(&layers, in, err);
    p->n_layers = layers.n;
    p->begins = layers.begins;
    if (st == SAC_OK && layers.n_on > 0) {
        open_maps(plot, &layers);
    }
    return st;
}

static double truth_of(const sac_meltpool_truth *truth, int density)
{
    return !truth ? 0 : density == 0 ? (double)truth->lof_density : (double)truth->keyhole_density;
}

static void add_value(cli_pool_column *column, double value, double truth)
{
    column->min = column->n ? fmin(column->min, value) : value;
    column->max = column->n ? fmax(column->max, value) : value;
    column->sum += value;
    column->truth += truth;
    column->n++;
}

static void add_columns(cli_meltpool_plot *plot, const sac_meltpool_record *record,
                        const sac_meltpool_truth *truth)
{
    cli_pool_picture *p = &plot->picture;
    const int first_density = CLI_POOL_PANELS - CLI_POOL_DENSITIES;
    int64_t c = (int64_t)((double)plot->n * p->n_columns / (double)p->n_frames);
    for (int i = 0; i < CLI_POOL_PANELS; i++) {
        int k = i - first_density;
        add_value(&p->columns[i][c],
                  (double)(k < 0 ? record->features[features[i]] : record->prediction[k]),
                  k < 0 ? 0 : truth_of(truth, k));
    }
}

static int cell_at(const cli_pool_picture *p, int axis, double at)
{
    double cell = (at - p->first[axis]) / (p->last[axis] - p->first[axis]) * p->n_cells;
    return (int)fmin(fmax(cell, 0), p->n_cells - 1);
}

static void add_cell(cli_meltpool_plot *plot, const sac_meltpool_record *record,
                     const sac_meltpool_truth *truth)
{
    cli_pool_picture *p = &plot->picture;
    int map = 0;
    while (map < p->n_maps && p->layer[map] != plot->layer) {
        map++;
    }
    if (map == p->n_maps) {
        return;
    }
    int x = cell_at(p, 0, record->signals.x), y = cell_at(p, 1, record->signals.y);
    cli_pool_cell *cell = &p->cells[(map * p->n_cells + y) * p->n_cells + x];
    for (int k = 0; k < CLI_POOL_DENSITIES; k++) {
        cell->prediction[k] += (double)record->prediction[k];
        cell->truth[k] += truth_of(truth, k);
    }
    cell->n++;
}

void cli_meltpool_plot_add(cli_meltpool_plot *plot, const sac_meltpool_record *records,
                           const sac_meltpool_truth *truth, int64_t n)
{
    const cli_pool_picture *p = &plot->picture;
    for (int64_t i = 0; i < n; i++, plot->n++) {
        const sac_meltpool_truth *t = truth ? &truth[i] : NULL;
        if (plot->layer + 1 < p->n_layers && p->begins[plot->layer + 1] <= plot->n) {
            plot->layer++;
        }
        if (!(records[i].flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED))) {
            add_columns(plot, &records[i], t);
            add_cell(plot, &records[i], t);
        }
    }
}

sac_status cli_meltpool_plot_write(const cli_meltpool_plot *plot, const char *path, sac_error *err)
{
    return cli_pool_draw(&plot->picture, path, err);
}

void cli_meltpool_plot_close(cli_meltpool_plot **plot)
{
    if (*plot) {
        free((*plot)->picture.begins);
        free((*plot)->picture.cells);
        free(*plot);
        *plot = NULL;
    }
}
