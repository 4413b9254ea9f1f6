/*
 * Equalized pictures of a video.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include <saccade/equalize.h>
#include <saccade/measure.h>

#include "view/line.h"

enum { N_CONTROLS = 8, MOST_BINS = 256 }; /* MOST_BINS: that are sent */

typedef struct equalize_scene {
    video_scene scene;
    sac_equalize *plan;
    bool is_smooth;                               /* a frame's curve is of those before it, too */
    sac_array picture;                            /* equalized */
    int64_t at;                                   /* the frame that it is; -1: none */
    uint64_t before[MOST_BINS], after[MOST_BINS]; /* histograms, of n_bins */
    int32_t n_bins;
    int64_t run_ns;
} equalize_scene;

static const view_control controls[N_CONTROLS] = {
    {sac_equalize_params, "clahe", 0, 0, 0, {"0", "2", "4", "8", "16"}},
    {sac_equalize_params, "clip", 0, 10, 0.1, {0}},
    {sac_equalize_params, "scale", 0, 0, 0, {0}},
    {sac_equalize_params, "bins", 0, 256, 1, {0}},
    {sac_equalize_params, "smooth", 0, 0.99, 0.01, {0}},
    VIEW_PLAN_CONTROLS(sac_equalize_params),
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
    return view_settings_apply(desc, sac_equalize_params(), settings, &equalize_kind.view, err);
}

static sac_status open_plan(video_scene *scene, const view_settings *settings, sac_error *err)
{
    equalize_scene *e = (equalize_scene *)scene;
    sac_equalize_desc desc;
    sac_equalize *plan = NULL;
    sac_status st = desc_of(&desc, video_info(&scene->video), settings, err);
    st = st ? st : sac_equalize_open(&plan, &desc, err);
    if (st != SAC_OK) {
        return st;
    }
    sac_equalize_close(&e->plan);
    e->plan = plan;
    e->is_smooth = desc.smooth > 0;
    e->at = -1;
    if (!e->picture.data) {
        e->picture = cli_frame_new(video_info(&scene->video));
    }
    return SAC_OK;
}

static void close_scene(video_scene *scene)
{
    equalize_scene *e = (equalize_scene *)scene;
    sac_equalize_close(&e->plan);
    free(e->picture.data);
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
    view_scene *scene = &e->scene.common;
    view_settings each = *settings;
    const int64_t first = e->is_smooth ? 0 : settings->frame;
    const bool goes_on = scene->is_live || (e->at >= first && e->at <= settings->frame);
    sac_status st = SAC_OK;
    if (!goes_on) {
        sac_equalize_reset(e->plan);
    }
    each.frame = scene->is_live ? settings->frame : goes_on ? e->at : first;
    for (; each.frame <= settings->frame && st == SAC_OK; each.frame++) {
        st = video_show(&e->scene.video, frames, scene, &each, &none, err);
        st = st ? st : run(e, frames, err);
    }
    return st;
}

static sac_status show(view_blob **out, view_scene *scene, const view_settings *settings,
                       sac_error *err)
{
    equalize_scene *e = (equalize_scene *)scene;
    video_frames frames;
    cli_json json;
    sac_status st = video_scene_follow(&e->scene, settings, err);
    st = st ? st : run_in_order(e, &frames, settings, err);
    if (st != SAC_OK) {
        return st;
    }
    const sac_video_pixel pixel = video_info(&e->scene.video)->pixel;
    const video_panel panels[] = {{"before", frames.raw, pixel}, {"after", e->picture, pixel}};
    video_scene_begin(&json, &e->scene, settings,
                      &(video_work){e->at, e->run_ns, sac_equalize_get_variant(e->plan)});
    cli_json_uints(&json, "before", e->before, e->n_bins); /* pixels of each bin of V */
    cli_json_uints(&json, "after", e->after, e->n_bins);
    return video_message(out, &json, panels, 2, ((const video_settings *)settings)->step, err);
}

static void put_line(FILE *file, const video_scene *scene, const video_settings *settings)
{
    const sac_video_info *info = video_info(&scene->video);
    sac_equalize_desc desc;
    if (desc_of(&desc, info, &settings->common, NULL) != SAC_OK) {
        return;
    }
    video_put_command(file, &scene->video, "equalize");
    view_line_options(file, sac_equalize_params(), &desc, NULL);
    fprintf(file, " -o equalized%s.%s", video_is_many(&scene->video) ? "-%04d" : "",
            video_ending(info->pixel));
}

const video_kind equalize_kind = {.view = {.name = "equalize",
                                           .controls = controls,
                                           .n_controls = N_CONTROLS,
                                           .show = show,
                                           VIDEO_KIND},
                                  .scene_size = sizeof(equalize_scene),
                                  .params = sac_equalize_params,
                                  .open = open_plan,
                                  .close = close_scene,
                                  .put_lines = put_line};
