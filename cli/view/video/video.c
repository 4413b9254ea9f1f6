/*
 * Videos as scenes: where frames come from, and what viewers set of both.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "video.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "live/live.h"
#include "outputs.h"
#include "view/line.h"

#define MOST_STEP 16

bool video_is_picture(const char *path)
{
    static const char *const endings[] = {".png", ".ppm",  ".pgm",  ".pnm", ".pam",  ".bmp",
                                          ".jpg", ".jpeg", ".webp", ".tif", ".tiff", NULL};
    return cli_ends_in(path, endings) && !strchr(path, '%') && !cli_is_folder(path);
}

/* What cannot be read twice. */
static bool is_stream(const char *path)
{
    struct stat info;
    return cli_is_dash(path) || video_is_endless(path) ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

bool video_is_source(const char *path)
{
    return is_stream(path) || cli_is_folder(path) || strchr(path, '%') || cli_frame_is_name(path) ||
           video_is_decoded(path) ||
           (!strstr(path, "://") && (sac_video_is_y4m(path) || cli_packets_is(path)));
}

/* An address of packets, and what it is read with. */
static int check_received(const char *path, const char *passphrase_file)
{
    const bool is_received = video_is_received(path);
    if (passphrase_file && !is_received) {
        return cli_misuse(cli_parsed(),
                          "--passphrase-file: only what comes from an address of "
                          "saccade send (udp://:5000) is encrypted, not %s",
                          path);
    }
    const int status = is_received ? cli_live_check_uri(cli_parsed(), "", path) : CLI_DONE;
    return status ? status : cli_live_check_passphrase(passphrase_file);
}

/* What is decoded is there, and has a name without a password. */
static int take_name(video_source *video, const char *path, const char *passphrase_file)
{
    cli_live_send_job job = {0};
    const int checked = check_received(path, passphrase_file);
    if (checked || !video_is_decoded(path) || video_is_received(path)) {
        video->shown = cli_text("%s", path);
        return checked;
    }
    const int status = cli_live_take_source(&job, path);
    video->shown = job.shown;
    free(job.secret);
    return status;
}

int video_open(video_source *video, view_scene *scene, const char *path,
               const video_options *options, const video_filter *filter)
{
    int status = take_name(video, path, options->passphrase_file);
    video->input = (video_input){path,
                                 video->shown,
                                 {options->size[0], options->size[1]},
                                 options->format,
                                 options->passphrase_file};
    scene->is_live = is_stream(path);
    if (status == CLI_DONE && scene->is_live) {
        return video_feed_open(&video->feed, &video->input, scene, filter);
    }
    status = status ? status : video_clip_open(&video->clip, &video->input);
    scene->limits.n_frames = status == CLI_DONE ? video_clip_count(video->clip) : 0;
    return status;
}

int video_end(video_source *video)
{
    video_clip_close(&video->clip);
    free(video->shown);
    return video_feed_end(&video->feed);
}

const sac_video_info *video_info(const video_source *video)
{
    return video->feed ? video_feed_info(video->feed) : video_clip_info(video->clip);
}

sac_status video_show(video_source *video, video_frames *out, view_scene *scene,
                      const view_settings *settings, const video_filter *filter, sac_error *err)
{
    if (!video->feed) {
        return video_clip_show(video->clip, out, settings->frame, filter, err);
    }
    scene->has_news = video_feed_has_ended(video->feed);
    return video_feed_show(video->feed, out, settings->plays, filter->which, err);
}

sac_status video_take(const view_scene *scene, view_settings *settings, const char *name,
                      const char *text, sac_error *err)
{
    video_settings *s = (video_settings *)settings;
    int64_t step = 0;
    (void)scene;
    if (strcmp(name, "stream") == 0) {
        return view_take_flag(&s->wants_stream, name, text, err);
    }
    if (strcmp(name, "step") != 0) {
        return view_refuse(err, "message", "NAME VALUE, a control of the page");
    }
    if (!view_parse_index(&step, text, MOST_STEP + 1)) {
        return view_refuse(err, name, "0 to 16");
    }
    s->step = (int32_t)step;
    return SAC_OK;
}

bool video_is_many(const video_source *video)
{
    return video->feed || !video_is_picture(video->input.path);
}

/* Packets of an address are recorded first. */
static void put_receiver(FILE *file, const video_input *input)
{
    fputs("saccade receive", file);
    if (input->passphrase_file) {
        view_line_put(file, "passphrase-file", input->passphrase_file);
    }
    view_line_input(file, input->path);
    fputs(" -o received.sdv && ", file);
}

void video_put_command(FILE *file, const video_source *video, const char *name)
{
    const video_input *input = &video->input;
    const bool is_received = video_is_received(input->path);
    const bool is_decoded = video_is_decoded(input->path) && !is_received;
    if (is_received) {
        put_receiver(file, input);
    }
    fprintf(file, "saccade %s", is_decoded ? "send" : name);
    view_line_input(file, is_received ? "received.sdv" : video->shown);
    fputs(is_decoded ? " --to -" : "", file);
    if (input->size[0]) {
        fprintf(file, " --size %dx%d", input->size[0], input->size[1]);
    }
    if (is_decoded) {
        fprintf(file, " | saccade %s -", name);
    }
    if (input->format) {
        view_line_put(file, "format", cli_frame_inputs[input->format]);
    }
}

const char *video_ending(sac_video_pixel pixel)
{
    return pixel == SAC_PIXEL_GRAY ? "pgm" : "ppm";
}
