/*
 * A video as saccade heatmap, noise and denoise see it: original, heat map and changed pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_MOTION_H
#define CLI_VIEW_VIDEO_MOTION_H

#include <saccade/motion.h>

#include "scene.h"

/* Options of saccade heatmap and noise together. */
typedef struct motion_plan {
    size_t struct_size;
    int32_t denoise; /* an index of cli_source_filters */
    sac_heatmap_desc heatmap;
    sac_noise_desc noise; /* its view and threshold alone: the rest is as of the heat map */
} motion_plan;

const sac_param_table *motion_params(void);

/* What the frames go through first. */
video_filter motion_filter(const motion_plan *plan);

#endif
