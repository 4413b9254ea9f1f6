/*
 * Pictures of what changes in a video.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion.h"

#include <stdlib.h>
#include <string.h>

#include <saccade/delta.h>
#include <saccade/measure_video.h>

#include "packets.h"
#include "stream.h"
#include "view/line.h"

enum { MOST_OPTIONS = 16, N_CONTROLS = 8, MOST_PANELS = 4 };

typedef struct motion_scene {
    video_scene scene;
    sac_heatmap *heatmap;
    sac_noise *noise;
    sac_array heat_picture, noise_picture;
    sac_video_pixel heat_pixel, noise_pixel;
    video_stream *stream;
    int64_t n_viewed, last; /* of a live video: how many frames, and the number of the last one */
    int64_t heat_ns, noise_ns;
} motion_scene;

static const sac_param filter_row = {
    "denoise",
    SAC_PARAM_CHOICE,
    offsetof(motion_plan, denoise),
    0,
    0,
    0,
    cli_source_filters,
    "",
    "FILTER",
    "filter for each frame before the difference, as in saccade denoise; the window is 3 x 3 "
    "pixels, 5 x 5 of mean5, gaussian5 and median5"};

static void add_rows(sac_param_table *table, sac_param *rows, const sac_param_table *from,
                     size_t offset)
{
    for (int32_t i = 0; i < from->n_params; i++) {
        bool is_there = false;
        for (int32_t j = 0; j < table->n_params; j++) {
            is_there = is_there || strcmp(rows[j].name, from->params[i].name) == 0;
        }
        if (!is_there) {
            rows[table->n_params] = from->params[i];
            rows[table->n_params++].offset += offset;
        }
    }
}

const sac_param_table *motion_params(void)
{
    static sac_param rows[MOST_OPTIONS];
    static sac_param_table table = {"view", "", sizeof(motion_plan), rows, 0};
    if (table.n_params == 0) { /* the command line is parsed before there are threads */
        rows[table.n_params++] = filter_row;
        add_rows(&table, rows, sac_heatmap_params(), offsetof(motion_plan, heatmap));
        add_rows(&table, rows, sac_noise_params(), offsetof(motion_plan, noise));
    }
    return &table;
}

static const view_control controls[N_CONTROLS] = {
    {motion_params, "threshold", 0, 100, 1, {0}}, {motion_params, "denoise", 0, 0, 0, {0}},
    {motion_params, "map", 0, 0, 0, {0}},         {motion_params, "scale", 1, 765, 1, {0}},
    {motion_params, "view", 0, 0, 0, {0}},        VIEW_PLAN_CONTROLS(motion_params),
};

/* What the settings say, for frames of the video; texts are borrowed from them. */
static sac_status plan_of(motion_plan *plan, const sac_video_info *info,
                          const view_settings *settings, sac_error *err)
{
    sac_heatmap_desc heatmap;
    sac_noise_desc noise;
    sac_param_defaults(motion_params(), plan);
    const sac_status st =
        view_settings_apply(plan, motion_params(), settings, &motion_kind.view, err);
    sac_heatmap_desc_init(&heatmap);
    heatmap.map = plan->heatmap.map;
    heatmap.scale = plan->heatmap.scale;
    heatmap.n_threads = plan->heatmap.n_threads;
    heatmap.device = plan->heatmap.device;
    heatmap.variant = plan->heatmap.variant;
    heatmap.w = info->w;
    heatmap.h = info->h;
    heatmap.n_channels = sac_video_channels(info->pixel);
    heatmap.order = cli_frame_order(info->pixel);
    sac_noise_desc_init(&noise);
    noise.view = plan->noise.view;
    noise.threshold = plan->noise.threshold;
    noise.n_threads = heatmap.n_threads;
    noise.device = heatmap.device;
    noise.variant = heatmap.variant;
    noise.w = heatmap.w;
    noise.h = heatmap.h;
    noise.n_channels = heatmap.n_channels;
    noise.order = heatmap.order;
    plan->heatmap = heatmap;
    plan->noise = noise;
    return st;
}

video_filter motion_filter(const motion_plan *plan)
{
    return (video_filter){plan->denoise, plan->heatmap.n_threads, plan->heatmap.device};
}

static void new_pictures(motion_scene *m, const motion_plan *plan)
{
    sac_video_info heat = *video_info(&m->scene.video), noise = heat;
    heat.pixel = heat.pixel == SAC_PIXEL_GRAY ? SAC_PIXEL_RGB : heat.pixel;
    if (plan->noise.view == SAC_NOISE_BITS) { /* a gray picture of eight pixels a byte */
        noise.pixel = SAC_PIXEL_GRAY;
        noise.w = (noise.w + 7) / 8;
    }
    free(m->heat_picture.data);
    free(m->noise_picture.data);
    m->heat_picture = cli_frame_new(&heat);
    m->noise_picture = cli_frame_new(&noise);
    m->heat_pixel = heat.pixel;
    m->noise_pixel = noise.pixel;
}

static sac_status open_plans(video_scene *scene, const view_settings *settings, sac_error *err)
{
    motion_scene *m = (motion_scene *)scene;
    motion_plan plan;
    sac_heatmap *heatmap = NULL;
    sac_noise *noise = NULL;
    sac_status st = plan_of(&plan, video_info(&scene->video), settings, err);
    st = st ? st : sac_heatmap_open(&heatmap, &plan.heatmap, err);
    st = st ? st : sac_noise_open(&noise, &plan.noise, err);
    if (st != SAC_OK) {
        sac_heatmap_close(&heatmap);
        return st;
    }
    sac_heatmap_close(&m->heatmap);
    sac_noise_close(&m->noise);
    m->heatmap = heatmap;
    m->noise = noise;
    new_pictures(m, &plan);
    return SAC_OK;
}

static void close_scene(video_scene *scene)
{
    motion_scene *m = (motion_scene *)scene;
    sac_heatmap_close(&m->heatmap);
    sac_noise_close(&m->noise);
    video_stream_close(&m->stream);
    free(m->heat_picture.data);
    free(m->noise_picture.data);
}

static sac_status run(motion_scene *m, const video_frames *frames, sac_error *err)
{
    int64_t start_ns = cli_clock_ns();
    m->heat_ns = m->noise_ns = 0;
    sac_status st =
        sac_heatmap_run(m->heatmap, &m->heat_picture, &frames->current, &frames->previous, err);
    start_ns = cli_frame_lap(&m->heat_ns, start_ns);
    st = st ? st
            : sac_noise_run(m->noise, &m->noise_picture, &frames->current, &frames->previous, err);
    cli_frame_lap(&m->noise_ns, start_ns);
    return st;
}

/* Begins the message. */
static sac_status put_numbers(cli_json *json, const motion_scene *m, const video_frames *frames,
                              const view_settings *settings, sac_error *err)
{
    sac_frame_difference found;
    const double n = (double)frames->current.shape[0] * (double)frames->current.shape[1];
    const uint64_t n_changed = sac_noise_get_count(m->noise);
    const sac_status st = sac_measure_difference(&found, &frames->current, &frames->previous, err);
    if (st != SAC_OK) {
        return st;
    }
    char *variant =
        cli_text("%s %s", sac_heatmap_get_variant(m->heatmap), sac_noise_get_variant(m->noise));
    video_scene_begin(json, &m->scene, settings,
                      &(video_work){frames->frame, m->heat_ns + m->noise_ns, variant});
    cli_json_int(json, "heat_ns", m->heat_ns);
    cli_json_int(json, "noise_ns", m->noise_ns);
    cli_json_uint(json, "changed_pixels", n_changed);
    cli_json_real(json, "changed_share", (double)n_changed / n);
    cli_json_uint(json, "difference_pixels", found.n_changed);
    cli_json_real(json, "difference_mean", (double)found.sum / n);
    cli_json_int(json, "difference_max", found.max);
    free(variant);
    return SAC_OK;
}

/* Live frames that are viewed count as one after the other, whatever was missed between them. */
static void put_stream(cli_json *json, motion_scene *m, const video_frames *frames,
                       const motion_plan *plan)
{
    sac_error err = {0};
    const video_coding coding = {plan->noise.threshold, plan->denoise, plan->heatmap.n_threads,
                                 plan->heatmap.device};
    video_frames numbered = *frames;
    if (m->scene.video.feed) {
        m->n_viewed += frames->frame != m->last;
        m->last = frames->frame;
        numbered.frame = m->n_viewed;
    }
    err.status =
        video_stream_add(&m->stream, &numbered, video_info(&m->scene.video), &coding, &err);
    video_stream_put(json, m->stream, &err);
}

static sac_status message(view_blob **out, motion_scene *m, const video_frames *frames,
                          const motion_plan *plan, const video_settings *settings, sac_error *err)
{
    const sac_video_pixel pixel = video_info(&m->scene.video)->pixel;
    video_panel panels[MOST_PANELS] = {{"original", frames->raw, pixel}};
    int n = 1;
    if (plan->denoise) {
        panels[n++] = (video_panel){"denoised", frames->current, pixel};
    }
    panels[n++] = (video_panel){"heat map", m->heat_picture, m->heat_pixel};
    panels[n++] = (video_panel){"noise", m->noise_picture, m->noise_pixel};
    cli_json json;
    const sac_status st = put_numbers(&json, m, frames, &settings->common, err);
    if (st != SAC_OK) {
        return st;
    }
    if (settings->wants_stream) {
        put_stream(&json, m, frames, plan);
    }
    return video_message(out, &json, panels, n, settings->step, err);
}

static sac_status show(view_blob **out, view_scene *scene, const view_settings *settings,
                       sac_error *err)
{
    motion_scene *m = (motion_scene *)scene;
    motion_plan plan;
    video_frames frames;
    sac_status st = video_scene_follow(&m->scene, settings, err);
    st = st ? st : plan_of(&plan, video_info(&m->scene.video), settings, err);
    if (st != SAC_OK) {
        return st;
    }
    const video_filter filter = motion_filter(&plan);
    st = video_show(&m->scene.video, &frames, scene, settings, &filter, err);
    st = st ? st : run(m, &frames, err);
    return st ? st : message(out, m, &frames, &plan, (const video_settings *)settings, err);
}

/* A command, with the options of its desc. */
static void put_line(FILE *file, const video_scene *scene, const char *name,
                     const sac_param_table *table, const void *desc, int32_t denoise,
                     const char *output)
{
    video_put_command(file, &scene->video, name);
    if (denoise) {
        view_line_put(file, "denoise", cli_source_filters[denoise]);
    }
    view_line_options(file, table, desc, NULL);
    fprintf(file, " -o %s", output);
}

static void put_stream_line(FILE *file, const video_scene *scene, const motion_plan *plan)
{
    sac_delta_encode_desc desc;
    sac_delta_encode_desc_init(&desc);
    desc.threshold = plan->noise.threshold;
    desc.n_threads = plan->heatmap.n_threads;
    desc.device = plan->heatmap.device;
    fputc('\n', file);
    put_line(file, scene, "delta encode", sac_delta_encode_params(), &desc, plan->denoise,
             cli_packets_is(scene->video.input.path) ? "encoded.sdv" : "stream.sdv");
}

static void put_lines(FILE *file, const video_scene *scene, const video_settings *settings)
{
    char output[64];
    motion_plan plan;
    const sac_video_info *info = video_info(&scene->video);
    if (plan_of(&plan, info, &settings->common, NULL) != SAC_OK) {
        return;
    }
    const bool is_bits = plan.noise.view == SAC_NOISE_BITS;
    put_line(file, scene, "heatmap", sac_heatmap_params(), &plan.heatmap, plan.denoise,
             "heatmap-%04d.ppm");
    fputc('\n', file);
    snprintf(output, sizeof output, "noise-%%04d.%s",
             video_ending(is_bits ? SAC_PIXEL_GRAY : info->pixel));
    put_line(file, scene, "noise", sac_noise_params(), &plan.noise, plan.denoise, output);
    if (settings->wants_stream) {
        put_stream_line(file, scene, &plan);
    }
}

const video_kind motion_kind = {.view = {.name = "motion",
                                         .controls = controls,
                                         .n_controls = N_CONTROLS,
                                         .show = show,
                                         VIDEO_KIND},
                                .scene_size = sizeof(motion_scene),
                                .params = motion_params,
                                .open = open_plans,
                                .close = close_scene,
                                .put_lines = put_lines};
