/*
 * The picture of a build: features over time, and where pores are expected in its layers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MELTPOOL_PLOT_H
#define CLI_MELTPOOL_PLOT_H

#include <saccade/frames.h>

typedef struct cli_meltpool_view {
    double rate_hz;
    double layer_gap_s; /* without truth, a layer begins behind so long without the laser */
    bool has_prediction;
} cli_meltpool_view;

typedef struct cli_meltpool_plot cli_meltpool_plot;

/* Reads the file's signals, so that the picture knows its layers and their size. SAC_E_FORMAT. */
SAC_NODISCARD sac_status cli_meltpool_plot_open(cli_meltpool_plot **out, sac_frames_in *in,
                                                const cli_meltpool_view *view, sac_error *err);

/* The next n frames' records, with the truth where the file has it. */
void cli_meltpool_plot_add(cli_meltpool_plot *plot, const sac_meltpool_record *records,
                           const sac_meltpool_truth *truth, int64_t n);

/* Draws to `path`, by its ending. SAC_E_IO, SAC_E_UNSUPPORTED, SAC_E_NOMEM. */
SAC_NODISCARD sac_status cli_meltpool_plot_write(const cli_meltpool_plot *plot, const char *path,
                                                 sac_error *err);
void cli_meltpool_plot_close(cli_meltpool_plot **plot);

#endif
