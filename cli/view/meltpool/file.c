/*
 * Files of melt-pool frames: the frame that is looked at, and how far all of them are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "film.h"
#include "outputs.h"
#include "shown.h"
#include "view/line.h"

struct pool_file {
    view_scene common;
    cli_meltpool_job *job;
    sac_meltpool_desc desc; /* of the command line */
    pool_film *film;
    int64_t n_begun;  /* analyses */
    pool_settings of; /* what it began with; its texts are borrowed */
    pool_film_state state;
};

static void wake(const void *ctx)
{
    view_scene_wake(ctx);
}

static sac_status begin(pool_file *s, const pool_settings *settings, sac_error *err)
{
    sac_meltpool_desc desc = s->desc;
    sac_status st =
        view_settings_apply(&desc, sac_meltpool_params(), &settings->common, &pool_file_kind, err);
    st = st ? st : pool_film_begin(s->film, &desc, wake, &s->common, err);
    if (st == SAC_OK) {
        s->n_begun++;
        s->of = *settings;
    }
    return st;
}

static bool has_begun_with(const pool_file *s, const pool_settings *settings)
{
    return s->n_begun > 0 &&
           memcmp(s->of.common.text, settings->common.text, sizeof s->of.common.text) == 0;
}

static void put_counts(cli_json *json, const void *ctx)
{
    const pool_file *s = ctx;
    const sac_meltpool_counts *c = &s->state.counts;
    const double mean_ns = sac_histogram_get_mean(pool_film_times(s->film));
    cli_json_int(json, "begun", s->n_begun);
    cli_json_int(json, "n_done", s->state.n_done);
    cli_json_object(json, "counts");
    cli_json_int(json, "received", c->frames);
    cli_json_int(json, "processed", c->processed);
    cli_json_int(json, "empty", c->empty);
    cli_json_int(json, "refused", c->refused_place + c->refused_shape);
    cli_json_int(json, "no pool", c->no_pool);
    cli_json_int(json, "clipped", c->clipped);
    cli_json_int(json, "spatters", c->spatters);
    cli_json_end_object(json);
    cli_json_real(json, "frames_s", mean_ns > 0 ? 1e9 / mean_ns : (double)NAN);
    if (s->state.error.status != SAC_OK) {
        cli_json_string(json, "trouble", s->state.error.text);
    }
}

/* What looks wrong of the counts, or of the model's options; free() it. */
static char *doubt_of(const pool_file *s)
{
    const char *doubt = sac_meltpool_doubt(&s->state.counts);
    return *doubt && s->state.n_done == s->common.limits.n_frames
               ? cli_text("%s", doubt)
               : cli_meltpool_model_doubt(s->job);
}

static sac_status tell(view_blob **out, pool_file *s, const pool_settings *settings,
                       const pool_film_frame *frame, int64_t run_ns, sac_error *err)
{
    const cli_meltpool_job *job = s->job;
    const double width_s = (double)pool_film_width(s->film) / job->desc.rate_hz;
    char *doubt = doubt_of(s);
    pool_shown shown = {
        .settings = settings,
        .desc = &job->desc,
        .frame = settings->common.frame,
        .pixels = frame->pixels,
        .record = frame->is_done ? &frame->record : NULL,
        .has_signals = job->info->has_signals,
        .has_model = job->model != NULL,
        .is_place_known = true,
        .last_pool = frame->last_pool,
        .truth = frame->has_truth ? frame->truth : NULL,
        .rows = s->state.rows,
        .from_s = (double)s->state.from * width_s,
        .width_s = width_s,
        .has_truth = frame->has_truth,
        .times = pool_film_times(s->film),
        .times_of = "time a frame",
        .run_ns = run_ns,
        .device = view_settings_text(&settings->common, &pool_file_kind, "device"),
        .variant = sac_meltpool_get_variant(job->plan),
        .doubt = doubt,
        .put = put_counts,
        .ctx = s,
    };
    shown.map = pool_film_map(s->film, shown.frame, s->state.n_done, &shown.layer);
    const sac_status st = pool_shown_message(out, &shown, err);
    free(doubt);
    return st;
}

static sac_status show(view_blob **out, view_scene *scene, const view_settings *settings,
                       sac_error *err)
{
    pool_file *s = (pool_file *)scene;
    const pool_settings *of = (const pool_settings *)settings;
    pool_film_frame frame;
    const sac_status begun = has_begun_with(s, of) ? SAC_OK : begin(s, of, err);
    const int64_t start_ns = cli_clock_ns();
    sac_status st = begun ? begun : pool_film_look(s->film, &frame, settings->frame, err);
    if (st != SAC_OK) {
        return st;
    }
    pool_film_get(s->film, &s->state, of->value);
    return tell(out, s, of, &frame, cli_clock_ns() - start_ns, err);
}

static void put_line(FILE *file, const pool_file *s, const view_settings *settings)
{
    const cli_meltpool_options *o = &s->job->options;
    sac_meltpool_desc desc = s->desc;
    if (view_settings_apply(&desc, sac_meltpool_params(), settings, &pool_file_kind, NULL) !=
        SAC_OK) {
        desc = s->desc; /* they are being taken back */
    }
    fputs("saccade meltpool", file);
    view_line_input(file, s->job->input);
    view_line_options(file, sac_meltpool_params(), &desc, "threads");
    if (o->model) {
        view_line_put(file, "model", o->model);
    }
    if (o->calibration) {
        view_line_put(file, "calibration", o->calibration);
    }
    fputs(" -o records.h5 --plot picture.png", file);
}

static void put(cli_json *json, const view_scene *scene, const view_settings *settings)
{
    const pool_file *s = (const pool_file *)scene;
    view_line line;
    view_line_begin(&line);
    put_line(line.file, s, settings);
    char *text = view_line_end(&line);
    cli_json_string(json, "source", cli_base_name(s->job->input));
    cli_json_string(json, "command", text);
    cli_json_real(json, "camera_hz", s->job->desc.rate_hz);
    cli_json_int(json, "begun", s->n_begun); /* a picture with this number is of these options */
    cli_json_bool(json, "has_model", s->job->model != NULL);
    pool_settings_put(json, settings);
    free(text);
}

static bool can_be(view_scene *scene, const char *variant)
{
    sac_meltpool_desc desc = ((pool_file *)scene)->desc;
    sac_meltpool *plan = NULL;
    desc.device = (sac_device){SAC_DEVICE_CPU, 0};
    desc.variant = variant;
    desc.n_threads = 1;
    const bool can = sac_meltpool_open(&plan, &desc, NULL) == SAC_OK;
    sac_meltpool_close(&plan);
    return can;
}

const view_kind pool_file_kind = {.name = "meltpool",
                                  .settings_size = sizeof(pool_settings),
                                  .controls = pool_controls,
                                  .n_controls = POOL_CONTROLS,
                                  .take = pool_settings_take,
                                  .show = show,
                                  .put = put,
                                  .can_be = can_be};

int pool_file_open(pool_file **out, cli_meltpool_job *job, bool is_sure)
{
    pool_file *s = *out = cli_grow(NULL, 0, 1, sizeof *s);
    s->job = job;
    job->one_by_one = true;
    view_scene_init(&s->common, &pool_file_kind);
    s->common.is_made = true;
    int status = cli_meltpool_open_job(job);
    if (status == CLI_DONE && job->info->n_frames == 0) {
        status = cli_fail("`%s`: has no frames", job->input);
    }
    status = status ? status : pool_film_open(&s->film, job, is_sure);
    s->desc = job->desc;
    s->common.limits.n_frames = status ? 0 : job->info->n_frames;
    return status;
}

view_scene *pool_file_common(pool_file *file)
{
    return &file->common;
}

void pool_file_close(pool_file **file)
{
    pool_file *s = *file;
    if (s) {
        pool_film_close(&s->film);
        cli_meltpool_close(s->job);
        view_scene_end(&s->common);
        free(s);
    }
    *file = NULL;
}
