/*
 * What the picture of a build is drawn from.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MELTPOOL_DRAW_H
#define CLI_MELTPOOL_DRAW_H

#include <saccade/io.h>
#include <saccade/meltpool.h>

enum {
    CLI_POOL_COLUMNS = 1100, /* of a panel, at most one a frame */
    CLI_POOL_PANELS = 8,
    CLI_POOL_DENSITIES = 2, /* of them, the last: those that are predicted */
    CLI_POOL_LAYERS = 6     /* with a map */
};

/* Some frames' values of one panel. */
typedef struct cli_pool_column {
    double min, max, sum, truth; /* the sums over n frames */
    int64_t n;
} cli_pool_column;

/* Sums over the frames of one cell of a layer. */
typedef struct cli_pool_cell {
    double prediction[CLI_POOL_DENSITIES], truth[CLI_POOL_DENSITIES];
    int64_t n;
} cli_pool_cell;

typedef struct cli_pool_picture {
    int64_t n_frames;
    double rate_hz;
    bool has_prediction, has_truth;
    int n_columns; /* each of n_frames / n_columns frames */
    cli_pool_column columns[CLI_POOL_PANELS][CLI_POOL_COLUMNS];

    int64_t n_layers;
    int64_t *begins; /* (n_layers): first frames */
    int n_maps;      /* 0: nobody knows where the laser was */
    int64_t layer[CLI_POOL_LAYERS];
    int n_cells;              /* along each side of a map */
    double first[2], last[2]; /* x and y of the maps' corners; as far from each other in both */
    cli_pool_cell *cells;     /* (n_maps, n_cells, n_cells) */
} cli_pool_picture;

SAC_NODISCARD sac_status cli_pool_draw(const cli_pool_picture *what, const char *path,
                                       sac_error *err);

#endif
