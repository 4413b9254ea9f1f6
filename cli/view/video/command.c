/*
 * saccade view of videos: the command lines.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/equalize.h>

#include "motion.h"

static const sac_param params[] = {VIDEO_ROWS};

static const sac_param_table own_options = CLI_TABLE("view", video_options, params);

static int run_motion(int argc, char **argv)
{
    video_options options;
    motion_plan plan;
    int status = cli_parse(&cli_view_motion, &plan, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    const video_filter filter = motion_filter(&plan);
    status = cli_view_check(&cli_view_motion, &options.view, argc, argv);
    return status ? status : video_scene_serve(&motion_kind, argv[0], &options, &plan, &filter);
}

const cli_view_form cli_view_motion_form = {"motion", run_motion, video_is_source};

static const char ffmpeg_pipe[] = "ffmpeg -re -i in.mp4 -vsync passthrough -f yuv4mpegpipe - |\n"
                                  "    saccade view -";

static const char film_and_camera[] = "saccade view film.mp4\n"
                                      "  saccade view /dev/video0 --size 640x480";

static const char streams[] = "saccade view day.sdv\n"
                              "  saccade view udp://:5000";

static const char *const motion_examples[] = {
    "a video, with the original beside its heat map and noise view",
    "saccade view clip.y4m",
    "raw frames; less noise from the start",
    "saccade view clip.bgr --size 1920x1080 --format bgr --denoise temporal",
    "a film; a camera",
    film_and_camera,
    "a delta stream that was recorded, or that saccade send sends to this machine",
    streams,
    "any video, live, by FFmpeg",
    ffmpeg_pipe,
    NULL};

const cli_command cli_view_motion = {
    .name = "view",
    .summary = "see what changes in a video, in a browser",
    .usage = "VIDEO [--as motion] [OPTION]...",
    .about =
        "The page shows the video, its heat map and its noise view side by side, while threshold,\n"
        "filter and colors move; how much changed; what the frames would take as a delta stream;\n"
        "and the command lines of saccade heatmap, noise and delta that write the same. Files\n"
        "play, step and loop. VIDEO is Y4M, raw frames (--size WxH --format bgr), a delta stream\n"
        "(.sdv), pictures (in-%04d.png, or a folder), or with GStreamer a film (MP4, MKV, AVI, "
        "...)\n"
        "or what saccade send sends to an address: udp, tcp or srt://:PORT waits for a sender,\n"
        "..://HOST:PORT connects to one that waits. Of an address, a pipe, of -, standard input, "
        "of\n"
        "a camera (/dev/video0), RTSP and test, a picture that moves, the newest frame is shown,\n"
        "and those that nobody was fast enough to see are counted. Address, password and viewers\n"
        "are as for saccade view of recordings.",
    .examples = motion_examples,
    CLI_RUNS(cli_view_choose, motion_params, &own_options),
    .next = &cli_view_equalize,
};

static int run_equalize(int argc, char **argv)
{
    video_options options;
    sac_equalize_desc desc;
    int status = cli_parse(&cli_view_equalize, &desc, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    const video_filter none = {0, 1, {SAC_DEVICE_CPU, 0}};
    status = cli_view_check(&cli_view_equalize, &options.view, argc, argv);
    return status ? status : video_scene_serve(&equalize_kind, argv[0], &options, &desc, &none);
}

const cli_view_form cli_view_equalize_form = {"equalize", run_equalize, video_is_picture};

static const char equalize_pipe[] = "ffmpeg -re -i in.mp4 -vsync passthrough -f yuv4mpegpipe - |\n"
                                    "    saccade view - --as equalize --smooth 0.9";

static const char *const equalize_examples[] = {
    "a picture before and after, with its histograms",
    "saccade view dark.jpg",
    "a video, locally equalized",
    "saccade view clip.y4m --as equalize --clahe 8 --clip 3",
    "any video, live, by FFmpeg",
    equalize_pipe,
    NULL};

const cli_command cli_view_equalize = {
    .name = "view",
    .summary = "see a picture or video equalized, in a browser",
    .usage = "PICTURE|VIDEO --as equalize [OPTION]...",
    .about =
        "The page shows a picture, or each frame of a video, before and after equalization with\n"
        "both histograms, while options move, and gives the command line of saccade equalize that\n"
        "writes the same. A picture in a file is shown so by itself, a video with --as equalize.\n"
        "VIDEO is as for saccade view --as motion --help, and frames have 8 bits.",
    .examples = equalize_examples,
    CLI_RUNS(cli_view_choose, sac_equalize_params, &own_options),
};
