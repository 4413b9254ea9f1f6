/*
 * saccade view of videos: the command lines.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion.h"

static const sac_param params[] = {VIDEO_ROWS};

static const sac_param_table own_options = CLI_TABLE("view", video_options, params);

static int serve_motion(const char *path, const video_options *options, const motion_plan *plan)
{
    video_settings settings;
    motion_scene *scene = NULL;
    int status = motion_scene_open(&scene, path, options, plan);
    if (status == CLI_DONE) {
        view_scene *common = motion_scene_common(scene);
        view_settings_init(&settings.common, common);
        view_settings_from(&settings.common, &motion_kind, motion_params(), plan);
        status = cli_view_run(common, &settings.common, &options->view);
    }
    const int ended = motion_scene_end(&scene);
    return status ? status : ended;
}

static int run_motion(int argc, char **argv)
{
    video_options options;
    motion_plan plan;
    int status = cli_parse(&cli_view_motion, &plan, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    status = cli_view_check(&cli_view_motion, &options.view, argc, argv);
    return status ? status : serve_motion(argv[0], &options, &plan);
}

const cli_view_form cli_view_motion_form = {"motion", run_motion, video_is_source};

static const char ffmpeg_pipe[] = "ffmpeg -re -i in.mp4 -vsync passthrough -f yuv4mpegpipe - |\n"
                                  "    saccade view -";

static const char *const motion_examples[] = {
    "a video, with the original beside its heat map and noise view",
    "saccade view clip.y4m",
    "raw frames; less noise from the start",
    "saccade view clip.bgr --size 1920x1080 --format bgr --denoise temporal",
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
        "play, step and loop. VIDEO is Y4M, raw frames (--size WxH --format bgr), pictures\n"
        "(in-%04d.png, or a folder), a pipe or -, standard input: then the newest frame is shown,\n"
        "and those that nobody was fast enough to see are counted. What FFmpeg decodes comes\n"
        "through a pipe. Address, password and viewers are as for saccade view of recordings.",
    .examples = motion_examples,
    CLI_RUNS(cli_view_choose, motion_params, &own_options),
};
