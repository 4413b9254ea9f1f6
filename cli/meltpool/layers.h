/*
 * Where the layers of a build begin, and what they cover.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MELTPOOL_LAYERS_H
#define CLI_MELTPOOL_LAYERS_H

#include <saccade/frames.h>

#define CLI_MELTPOOL_LAYER_GAP_S 1.5e-3 /* without the laser, between two layers: the default */

typedef struct cli_meltpool_layers {
    double gap_frames; /* without truth, a layer begins behind so many without the laser; given */
    int64_t n;
    int64_t *begins;          /* (n): first frames; free() it */
    int64_t n_on;             /* frames with the laser on */
    double first[2], last[2]; /* the least and the greatest x and y of them */

    int64_t frame; /* the next one */
    int64_t last_on;
    sac_meltpool_signals on; /* of last_on */
    int32_t layer;           /* by the truth */
} cli_meltpool_layers;

/* The next frame; truth NULL: nobody knows it. Returns whether a layer begins with it. */
bool cli_meltpool_layers_add(cli_meltpool_layers *layers, const sac_meltpool_signals *signals,
                             const sac_meltpool_truth *truth);

/* Adds all frames of a file, which has signals. SAC_E_FORMAT. */
SAC_NODISCARD sac_status cli_meltpool_layers_scan(cli_meltpool_layers *layers, sac_frames_in *in,
                                                  sac_error *err);

/* Two corners of a square around what they cover, for maps. */
void cli_meltpool_layers_square(const cli_meltpool_layers *layers, double first[2], double last[2]);

#endif
