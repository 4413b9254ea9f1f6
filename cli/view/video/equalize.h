/*
 * A video or picture as saccade equalize sees it: before and after, with histograms.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_EQUALIZE_H
#define CLI_VIEW_VIDEO_EQUALIZE_H

#include <saccade/equalize.h>

#include "video.h"

extern const view_kind equalize_kind;

typedef struct equalize_scene equalize_scene;

/* Opens the video, and tries that the desc's options can be had. Returns an exit status. */
int equalize_scene_open(equalize_scene **out, const char *path, const video_options *options,
                        const sac_equalize_desc *desc);
int equalize_scene_end(equalize_scene **scene); /* an exit status, as video_feed_end */

/* The scene as all kinds have it. */
view_scene *equalize_scene_common(equalize_scene *scene);

#endif
