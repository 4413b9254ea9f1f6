/*
 * What the kinds of view of a video share beside the video: plans that follow the settings, the
 * messages' common members, and the way from the command line to the page.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_SCENE_H
#define CLI_VIEW_VIDEO_SCENE_H

#include "video.h"

/* What the kinds' scenes begin with. */
typedef struct video_scene {
    view_scene common;
    video_source video;
    char of[VIEW_CONTROLS][VIEW_TEXT]; /* the options that the plans were opened with */
    int64_t open_ns;
} video_scene;

typedef struct video_kind {
    view_kind view;
    size_t scene_size;
    const sac_param_table *(*params)(void); /* of the desc that the form's command line fills in */

    /* Opens the plans that the settings ask for; the old ones go when the new ones are there. */
    sac_status (*open)(video_scene *scene, const view_settings *settings, sac_error *err);
    void (*close)(video_scene *scene); /* what open left */

    /* The command lines that write what is shown; nothing for settings that cannot be had. */
    void (*put_lines)(FILE *file, const video_scene *scene, const video_settings *settings);
} video_kind;

extern const video_kind motion_kind, equalize_kind;

/* Of a kind's view what is alike; the rest follows it. */
#define VIDEO_KIND                                                                                 \
    .settings_size = sizeof(video_settings), .take = video_take, .put = video_scene_put,           \
    .can_be = video_scene_can_be

void video_scene_put(cli_json *json, const view_scene *scene, const view_settings *settings);
bool video_scene_can_be(view_scene *scene, const char *variant);

/* For a kind's show: the plans are those of the settings. */
SAC_NODISCARD sac_status video_scene_follow(video_scene *scene, const view_settings *settings,
                                            sac_error *err);

/* What took the time of a picture, and how long. */
typedef struct video_work {
    int64_t frame, run_ns;
    const char *variant;
} video_work;

/* Begins a picture's message, which video_message ends. */
void video_scene_begin(cli_json *json, const video_scene *scene, const view_settings *settings,
                       const video_work *work);

/* Opens the video, tries that the desc's options can be had, and serves the page. `filter` is what
 * frames of a live video go through at first. Returns an exit status. */
int video_scene_serve(const video_kind *kind, const char *path, const video_options *options,
                      const void *desc, const video_filter *filter);

#endif
