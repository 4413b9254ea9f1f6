/*
 * A video as saccade heatmap, noise and denoise see it: original, heat map and changed pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_MOTION_H
#define CLI_VIEW_VIDEO_MOTION_H

#include <saccade/motion.h>

#include "video.h"

extern const view_kind motion_kind;

/* Options of saccade heatmap and noise together. */
typedef struct motion_plan {
    size_t struct_size;
    int32_t denoise; /* an index of cli_source_filters */
    sac_heatmap_desc heatmap;
    sac_noise_desc noise; /* its view and threshold alone: the rest is as of the heat map */
} motion_plan;

const sac_param_table *motion_params(void);

typedef struct motion_scene motion_scene;

/* Opens the video, and tries that the plan's options can be had. Returns an exit status. */
int motion_scene_open(motion_scene **out, const char *path, const video_options *options,
                      const motion_plan *plan);
int motion_scene_end(motion_scene **scene); /* an exit status, as video_feed_end */

/* The scene as all kinds have it. */
view_scene *motion_scene_common(motion_scene *scene);

#endif
