/*
 * saccade measure --noise: a camera's noise from a clip of a still scene.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MEASURE_NOISE_H
#define CLI_MEASURE_NOISE_H

#include <saccade/measure_video.h>

#include "source.h"

typedef struct cli_camera_noise {
    const char *input, *json;
    sac_video_info info;
    int32_t n_channels, n_bins;
    uint64_t n_frames;
    int64_t read_ns, measure_ns;
    sac_noise_figures *figures; /* (n_channels, n_bins + 1) */
} cli_camera_noise;

/* The measurement as a table, or as JSON on standard output; warns of what makes it doubtful. An
 * exit status. */
int cli_camera_noise_report(const cli_camera_noise *noise);

#endif
