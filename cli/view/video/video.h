/*
 * What views of videos share: the video, a file or live, its settings, and panels of pixels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_VIDEO_H
#define CLI_VIEW_VIDEO_VIDEO_H

#include "feed.h"
#include "view/settings.h"
#include "view/view.h"

/* What the options of the forms begin with. */
typedef struct video_options {
    cli_view_options view;
    int32_t size[2], format;
    const char *passphrase_file;
} video_options;

#define VIDEO_ROWS                                                                                 \
    CLI_ROWS_VIEW,                                                                                 \
        {"size",                                                                                   \
         SAC_PARAM_INT2,                                                                           \
         offsetof(video_options, size),                                                            \
         0,                                                                                        \
         SAC_VIDEO_MAX_SIDE,                                                                       \
         0,                                                                                        \
         NULL,                                                                                     \
         "",                                                                                       \
         "WxH",                                                                                    \
         "raw frames have W x H pixels; what GStreamer decodes is scaled to that, and asked of "   \
         "a camera; 0: as IN is"},                                                                 \
        {"format",                                                                                 \
         SAC_PARAM_CHOICE,                                                                         \
         offsetof(video_options, format),                                                          \
         0,                                                                                        \
         0,                                                                                        \
         0,                                                                                        \
         cli_frame_inputs,                                                                         \
         "",                                                                                       \
         "PIXEL",                                                                                  \
         "pixels of raw frames, and what frames of other kinds become; auto: by IN's ending "      \
         "(.bgr, .nv12, ...), else rgb, gray of a gray IN"},                                       \
    {                                                                                              \
        "passphrase-file", SAC_PARAM_STRING, offsetof(video_options, passphrase_file), 0, 0, 0,    \
            NULL, "", "FILE",                                                                      \
            "of an address of saccade send: take only what is encrypted with the passphrase that " \
            "is this file's first line"                                                            \
    }

typedef struct video_settings {
    view_settings common;
    int32_t step;      /* of N pixels and N rows one is sent; 0: so that a panel is not too large */
    bool wants_stream; /* the delta stream's size, of motion */
} video_settings;

/* One of clip and feed is there. */
typedef struct video_source {
    video_input input;
    char *shown; /* which the input has */
    video_clip *clip;
    video_feed *feed;
} video_source;

/* Whether a name is one of a video: a pipe, a series or folder of pictures, an ending. */
bool video_is_source(const char *path);

/* Opens the video, fills in the scene's limits and whether it is live. An exit status. */
int video_open(video_source *video, view_scene *scene, const char *path,
               const video_options *options, const video_filter *filter);
int video_end(video_source *video); /* an exit status, as video_feed_end */

const sac_video_info *video_info(const video_source *video);

/* The frame of the settings. */
SAC_NODISCARD sac_status video_show(video_source *video, video_frames *out, view_scene *scene,
                                    const view_settings *settings, const video_filter *filter,
                                    sac_error *err);

/* A kind's `take`: step N, 0 to 16; stream 0|1. */
sac_status video_take(const view_scene *scene, view_settings *settings, const char *name,
                      const char *text, sac_error *err);

/* Whether it is more than a picture in a file. */
bool video_is_many(const video_source *video);

/* Whether a name is a picture's, by its ending, and no series'. */
bool video_is_picture(const char *path);

/* The beginning of a command line: "saccade NAME INPUT" with --size and --format, behind what
 * decodes for it. */
void video_put_command(FILE *file, const video_source *video, const char *name);

/* "ppm", or what else keeps every byte of frames of this pixel in "NAME-%04d.ENDING". */
const char *video_ending(sac_video_pixel pixel);

/* A panel: a frame, (h, w) or (h, w, channels) u8. */
typedef struct video_panel {
    const char *name;
    sac_array array;
    sac_video_pixel pixel;
} video_panel;

/* Puts `panels` into the picture's message that `json` has begun, and ends it: *out. SAC_E_NOMEM.
 */
SAC_NODISCARD sac_status video_message(view_blob **out, cli_json *json, const video_panel *panels,
                                       int n, int32_t step, sac_error *err);

#endif
