/*
 * Views of videos, whatever is made of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "outputs.h"
#include "view/line.h"

static const video_kind *kind_of(const video_scene *s)
{
    return (const video_kind *)(const void *)s->common.kind;
}

static sac_status open_plans(video_scene *s, const view_settings *settings, sac_error *err)
{
    const int64_t start_ns = cli_clock_ns();
    const sac_status st = kind_of(s)->open(s, settings, err);
    if (st == SAC_OK) {
        memcpy(s->of, settings->text, sizeof s->of);
        s->open_ns = cli_clock_ns() - start_ns;
    }
    return st;
}

sac_status video_scene_follow(video_scene *s, const view_settings *settings, sac_error *err)
{
    s->open_ns = 0;
    return memcmp(s->of, settings->text, sizeof s->of) == 0 ? SAC_OK : open_plans(s, settings, err);
}

/* Of a live video, frames that came, and that nobody viewed; of a delta stream, what did not come.
 */
static void put_counts(cli_json *json, const video_source *video)
{
    if (video->feed) {
        cli_json_int(json, "n_came", video_feed_count(video->feed));
        cli_json_int(json, "n_missed", video_feed_missed(video->feed));
    }
    video_losses losses;
    if (video->feed ? video_feed_losses(video->feed, &losses)
                    : video_clip_losses(video->clip, &losses)) {
        cli_json_int(json, "n_missing", losses.n_missing);
        cli_json_int(json, "n_refused", losses.n_refused);
        cli_json_bool(json, "awaits_key", losses.awaits_key);
    }
}

void video_scene_begin(cli_json *json, const video_scene *s, const view_settings *settings,
                       const video_work *work)
{
    cli_json_open(json);
    cli_json_object(json, NULL);
    cli_json_string(json, "kind", "picture");
    cli_json_int(json, "frame", work->frame);
    cli_json_int(json, "open_ns", s->open_ns);
    cli_json_int(json, "run_ns", work->run_ns);
    cli_json_string(json, "device", view_settings_text(settings, s->common.kind, "device"));
    cli_json_string(json, "variant", work->variant);
    put_counts(json, &s->video);
}

static void put_state(cli_json *json, const video_source *video, const video_settings *settings)
{
    const sac_video_info *info = video_info(video);
    const bool has_rate = info->rate_num > 0 && info->rate_den > 0;
    cli_json_string(json, "source", video->feed ? video->shown : cli_base_name(video->shown));
    cli_json_int(json, "w", info->w);
    cli_json_int(json, "h", info->h);
    cli_json_real(json, "video_rate_hz",
                  has_rate ? (double)info->rate_num / (double)info->rate_den : 0);
    cli_json_int(json, "step", settings->step);
    cli_json_bool(json, "stream", settings->wants_stream);
    cli_json_bool(json, "has_ended", video->feed && video_feed_has_ended(video->feed));
}

void video_scene_put(cli_json *json, const view_scene *scene, const view_settings *settings)
{
    const video_scene *s = (const video_scene *)scene;
    view_line line;
    view_line_begin(&line);
    kind_of(s)->put_lines(line.file, s, (const video_settings *)settings);
    char *text = view_line_end(&line);
    put_state(json, &s->video, (const video_settings *)settings);
    cli_json_string(json, "command", text);
    free(text);
}

/* The settings that a desc gives. */
static void settings_of(video_settings *out, const video_scene *s, const void *desc)
{
    const video_kind *kind = kind_of(s);
    view_settings_init(&out->common, &s->common);
    view_settings_from(&out->common, &kind->view, kind->params(), desc);
}

/* With the default of all else, by plans beside the scene's. */
bool video_scene_can_be(view_scene *scene, const char *variant)
{
    const video_scene *s = (const video_scene *)scene;
    const video_kind *kind = kind_of(s);
    const sac_param_table *table = kind->params();
    char message[VIEW_TEXT];
    const int n = snprintf(message, sizeof message, "variant %s", variant);
    video_settings usual;
    sac_error err = {0};
    void *desc = cli_grow(NULL, 0, 1, table->desc_size);
    video_scene *beside = cli_grow(NULL, 0, 1, kind->scene_size);
    beside->common.kind = scene->kind;
    beside->video = s->video;
    sac_param_defaults(table, desc);
    settings_of(&usual, s, desc);
    sac_status st = view_settings_take(&usual.common, scene, message, (size_t)n, &err);
    st = st ? st : kind->open(beside, &usual.common, &err);
    kind->close(beside);
    free(beside);
    free(desc);
    return st == SAC_OK;
}

int video_scene_serve(const video_kind *kind, const char *path, const video_options *options,
                      const void *desc, const video_filter *filter)
{
    video_scene *s = cli_grow(NULL, 0, 1, kind->scene_size);
    video_settings settings;
    sac_error err = {0};
    view_scene_init(&s->common, &kind->view);
    int status = video_open(&s->video, &s->common, path, options, filter);
    if (status == CLI_DONE) {
        settings_of(&settings, s, desc);
        status = open_plans(s, &settings.common, &err) == SAC_OK
                     ? cli_view_run(&s->common, &settings.common, &options->view)
                     : cli_error(&err);
    }
    const int ended = video_end(&s->video);
    kind->close(s);
    view_scene_end(&s->common);
    free(s);
    return status ? status : ended;
}
