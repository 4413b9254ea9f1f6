/*
 * Equalized pictures of a video.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize.h"

#include <stdlib.h>
#include <string.h>

#include <saccade/measure.h>

#include "view/line.h"

enum { N_CONTROLS = 8, MOST_BINS = 256 }; /* MOST_BINS: that are sent */

struct equalize_scene {
    view_scene common;
    video_source video;
    sac_equalize *plan;
    char of[VIEW_CONTROLS][VIEW_TEXT];            /* the options that the plan was opened with */
    bool is_smooth;                               /* a frame's curve is of those before it, too */
    sac_array picture;                            /* equalized */
    int64_t at;                                   /* the frame that it is; -1: none */
    uint64_t before[MOST_BINS], after[MOST_BINS]; /* histograms, of n_bins */
    int32_t n_bins;
    int64_t open_ns, run_ns;
};

static const view_control controls[N_CONTROLS] = {
    {sac_equalize_params, "clahe", 0, 0, 0, {"0", "2", "4", "8", "16"}},
    {sac_equalize_params, "clip", 0, 10, 0.1, {0}},
    {sac_equalize_params, "scale", 0, 0, 0, {0}},
    {sac_equalize_params, "bins", 0, 256, 1, {0}},
    {sac_equalize_params, "smooth", 0, 0.99, 0.01, {0}},
    {sac_equalize_params, "threads", 0, 64, 1, {0}},
    {sac_equalize_params, "device", 0, 0, 0, {0}},
    {sac_equalize_params, "variant", 0, 0, 0, {0}},
};

/* What the settings say, for frames of the video; texts are borrowed from them. */
static sac_status desc_of(sac_equalize_desc *desc, const sac_video_info *info,
                          const view_settings *settings, sac_error *err)
{
    sac_equalize_desc_init(desc);
    desc->dtype = SAC_U8;
    desc->w = info->w;
    desc->h = info->h;
    desc->n_channels = sac_video_channels(info->pixel);
    return view_settings_apply(desc, sac_equalize_params(), settings, &equalize_kind, err);
}

static sac_status open_plan(equalize_scene *e, const view_settings *settings, sac_error *err)
{
    sac_equalize_desc desc;
    sac_equalize *plan = NULL;
    const int64_t start_ns = cli_clock_ns();
    sac_status st = desc_of(&desc, video_info(&e->video), settings, err);
    st = st ? st : sac_equalize_open(&plan, &desc, err);
    if (st != SAC_OK) {
        return st;
    }
    sac_equalize_close(&e->plan);
    e->plan = plan;
    e->is_smooth = desc.smooth > 0;
    e->at = -1;
    memcpy(e->of, settings->text, sizeof e->of);
    e->open_ns = cli_clock_ns() - start_ns;
    return SAC_OK;
}

/* Bins that are sent have those of the plan that lie in them. */
static void gather(uint64_t *out, int32_t n, const uint64_t *counts, int32_t bins)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int32_t i = 0; i < bins; i++) {
        out[(int64_t)i * n / bins] += counts[i];
    }
}

static sac_status count(equalize_scene *e, sac_error *err)
{
    int32_t bins = 0;
    const uint64_t *before = sac_equalize_get_counts(e->plan, &bins);
    if (!before) {
        err->status = SAC_E_DEVICE;
        snprintf(err->text, sizeof err->text, "the GPU is lost");
        return err->status;
    }
    uint64_t *after = cli_grow(NULL, 0, (size_t)bins, sizeof *after);
    const sac_status st = sac_measure_histogram(after, bins, &e->picture, SAC_INTERLEAVED, err);
    e->n_bins = bins < MOST_BINS ? bins : MOST_BINS;
    gather(e->before, e->n_bins, before, bins);
    gather(e->after, e->n_bins, after, bins);
    free(after);
    return st;
}

/* The frame, unless it is there. */
static sac_status run(equalize_scene *e, const video_frames *frames, sac_error *err)
{
    if (frames->frame == e->at) {
        return SAC_OK;
    }
    const int64_t start_ns = cli_clock_ns();
    e->at = -1; /* until it is done */
    sac_status st = sac_equalize_run(e->plan, &e->picture, &frames->current, err);
    e->run_ns = cli_clock_ns() - start_ns;
    st = st ? st : count(e, err);
    e->at = st == SAC_OK ? frames->frame : -1;
    return st;
}

/* With --smooth a file's frame follows all before it, as if it had been played; a live one those
 * that were viewed. */
static sac_status run_in_order(equalize_scene *e, video_frames *frames,
                               const view_settings *settings, sac_error *err)
{
    const video_filter none = {0, 1, {SAC_DEVICE_CPU, 0}};
    view_settings each = *settings;
    const int64_t first = e->is_smooth ? 0 : settings->frame;
    const bool goes_on = e->common.is_live || (e->at >= first && e->at <= settings->frame);
    sac_status st = SAC_OK;
    if (!goes_on) {
        sac_equalize_reset(e->plan);
    }
    each.frame = e->common.is_live ? settings->frame : goes_on ? e->at : first;
    for (; each.frame <= settings->frame && st == SAC_OK; each.frame++) {
        st = video_show(&e->video, frames, &e->common, &each, &none, err);
        st = st ? st : run(e, frames, err);
    }
    return st;
}

static void put_numbers(cli_json *json, const equalize_scene *e, const view_settings *settings)
{
    cli_json_string(json, "kind", "picture");
    cli_json_int(json, "frame", e->at);
    cli_json_int(json, "open_ns", e->open_ns);
    cli_json_int(json, "run_ns", e->run_ns);
    cli_json_string(json, "device", view_settings_text(settings, &equalize_kind, "device"));
    cli_json_string(json, "variant", sac_equalize_get_variant(e->plan));
    cli_json_uints(json, "before", e->before, e->n_bins); /* pixels of each bin of V */
    cli_json_uints(json, "after", e->after, e->n_bins);
    video_put_counts(json, &e->video);
}

static sac_status show(view_blob **out, view_scene *scene, const view_settings *settings,
                       sac_error *err)
{
    equalize_scene *e = (equalize_scene *)scene;
    video_frames frames;
    cli_json json;
    sac_status st = SAC_OK;
    e->open_ns = 0;
    if (!e->plan || memcmp(e->of, settings->text, sizeof e->of) != 0) {
        st = open_plan(e, settings, err);
    }
    st = st ? st : run_in_order(e, &frames, settings, err);
    if (st != SAC_OK) {
        return st;
    }
    const sac_video_pixel pixel = video_info(&e->video)->pixel;
    const video_panel panels[] = {{"before", frames.raw, pixel}, {"after", e->picture, pixel}};
    cli_json_open(&json);
    cli_json_object(&json, NULL);
    put_numbers(&json, e, settings);
    return video_message(out, &json, panels, 2, ((const video_settings *)settings)->step, err);
}

static bool can_be(view_scene *scene, const char *variant)
{
    equalize_scene *e = (equalize_scene *)scene;
    sac_equalize_desc desc;
    sac_equalize *plan = NULL;
    view_settings usual = {0};
    sac_equalize_desc_init(&desc);
    view_settings_from(&usual, &equalize_kind, sac_equalize_params(), &desc);
    sac_status st = desc_of(&desc, video_info(&e->video), &usual, NULL);
    desc.variant = variant;
    st = st ? st : sac_equalize_open(&plan, &desc, NULL);
    sac_equalize_close(&plan);
    return st == SAC_OK;
}

static void put_state(cli_json *json, const view_scene *scene, const view_settings *settings)
{
    const equalize_scene *e = (const equalize_scene *)scene;
    const sac_video_info *info = video_info(&e->video);
    const bool is_video = video_is_many(&e->video);
    sac_equalize_desc desc;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        exit(cli_fail("out of memory"));
    }
    if (desc_of(&desc, info, settings, NULL) == SAC_OK) { /* else the state says why */
        video_put_command(file, &e->video, "equalize");
        view_line_options(file, sac_equalize_params(), &desc, NULL);
        fprintf(file, " -o equalized%s.%s", is_video ? "-%04d" : "", video_ending(info->pixel));
    }
    if (fclose(file) != 0) {
        exit(cli_fail("out of memory"));
    }
    video_put_state(json, &e->video, (const video_settings *)settings);
    cli_json_string(json, "command", text);
    free(text);
}

const view_kind equalize_kind = {.name = "equalize",
                                 .settings_size = sizeof(video_settings),
                                 .controls = controls,
                                 .n_controls = N_CONTROLS,
                                 .take = video_take,
                                 .show = show,
                                 .put = put_state,
                                 .can_be = can_be};

int equalize_scene_open(equalize_scene **out, const char *path, const video_options *options,
                        const sac_equalize_desc *desc)
{
    equalize_scene *e = *out = cli_grow(NULL, 0, 1, sizeof *e);
    const video_filter none = {0, 1, {SAC_DEVICE_CPU, 0}};
    view_settings settings = {0};
    sac_error err = {0};
    view_scene_init(&e->common, &equalize_kind);
    const int status = video_open(&e->video, &e->common, path, options, &none);
    if (status != CLI_DONE) {
        return status;
    }
    e->picture = cli_frame_new(video_info(&e->video));
    view_settings_from(&settings, &equalize_kind, sac_equalize_params(), desc);
    return open_plan(e, &settings, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
}

view_scene *equalize_scene_common(equalize_scene *scene)
{
    return &scene->common;
}

int equalize_scene_end(equalize_scene **scene)
{
    equalize_scene *e = *scene;
    const int status = video_end(&e->video);
    sac_equalize_close(&e->plan);
    free(e->picture.data);
    view_scene_end(&e->common);
    free(e);
    *scene = NULL;
    return status;
}
