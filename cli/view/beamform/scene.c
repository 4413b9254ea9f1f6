/*
 * A recording in memory, the plan that its pictures come from, and their messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/measure_ultrasound.h>

#include "outputs.h"
#include "shown.h"

/* Which frame, of the recording with which speed of sound. */
typedef struct kept {
    sac_recording *recording;
    double c_m_s;
    int64_t first, n; /* frames of it */
} kept;

struct beamform_scene {
    view_scene common;
    cli_beamform_job *job;
    int32_t n_transmits;
    kept all, one; /* all frames, and one with another speed */
    double file_c_m_s;
    sac_beamform *plan;
    beamform_settings of; /* what the plan was opened with */
    sac_array image;
    bool is_run; /* the image is of this frame, by this plan */
    int64_t run_ns, open_ns;
    beamform_frames frames;        /* where they come by themselves: */
    const beamform_tapped *tapped; /* the one that is shown */
};

/* Whether a recording that was read again is one of the same transmits, elements and samples,
 * without bad ones: the file may be another by now. */
static sac_status check_again(const sac_recording *again, const beamform_scene *s, sac_error *err)
{
    const sac_array a = sac_recording_get_array(again);
    const sac_array b = sac_recording_get_array(s->all.recording);
    const sac_acquisition *of_a = sac_recording_get_acquisition(again);
    const sac_acquisition *of_b = sac_recording_get_acquisition(s->all.recording);
    char where[CLI_SAMPLE_TEXT];
    if (a.dtype == b.dtype && memcmp(a.shape + 1, b.shape + 1, 3 * sizeof *a.shape) == 0 &&
        of_a->n_transmits == of_b->n_transmits && of_a->n_elements == of_b->n_elements &&
        cli_recording_bad_sample(where, &a) < 0) {
        return SAC_OK;
    }
    err->status = SAC_E_FORMAT;
    snprintf(err->text, sizeof err->text, "`%s` has changed since it was opened",
             cli_base_name(s->job->input));
    return err->status;
}

/* Reads frames with another speed of sound than the file's or the command line's, which files may
 * derive angles and times from: so it is as --c would read it. */
static sac_status read_again(kept *k, const beamform_scene *s, double c_m_s, int64_t first,
                             int64_t n, sac_error *err)
{
    sac_recording_desc desc = s->job->recording_desc;
    desc.c_m_s = c_m_s;
    desc.first_frame += first;
    desc.n_frames = n;
    sac_recording *recording = NULL;
    sac_status st = sac_recording_read(&recording, s->job->input, &desc, err);
    st = st ? st : check_again(recording, s, err);
    if (st != SAC_OK) {
        sac_recording_close(&recording);
        return st;
    }
    sac_recording_close(&k->recording);
    *k = (kept){recording, c_m_s, first, n};
    return SAC_OK;
}

static bool is_same_speed(double a, double b)
{
    return !(a < b) && !(a > b);
}

/* The recording that has the frame: one alone while a slider moves, all of them once others are
 * asked for. */
static sac_status find(const kept **out, beamform_scene *s, const beamform_settings *settings,
                       sac_error *err)
{
    const double c = settings->c_m_s > 0 ? settings->c_m_s : 0;
    const bool is_in_all = is_same_speed(s->all.c_m_s, c);
    const bool is_in_one = s->one.recording && is_same_speed(s->one.c_m_s, c);
    *out = is_in_all ? &s->all : &s->one;
    if (is_in_all || (is_in_one && s->one.first == settings->common.frame)) {
        return SAC_OK;
    }
    const double asked = c > 0 ? c : s->job->recording_desc.c_m_s; /* NaN: the file's */
    sac_status st = SAC_OK;
    if (is_in_one || !(c > 0)) {
        st = read_again(&s->all, s, asked, 0, s->common.limits.n_frames, err);
        s->all.c_m_s = st == SAC_OK ? c : s->all.c_m_s;
        *out = &s->all;
    } else {
        st = read_again(&s->one, s, asked, settings->common.frame, 1, err);
    }
    return st;
}

/* Opens the plan that the settings ask for. The old one goes when the new one is there. */
static sac_status open_plan(beamform_scene *s, const beamform_settings *settings,
                            const sac_recording *recording, sac_error *err)
{
    sac_beamform_desc desc = s->job->desc;
    const sac_array in = sac_recording_get_array(recording);
    sac_beamform *plan = NULL;
    sac_status st =
        view_settings_apply(&desc, sac_beamform_params(), &settings->common, &beamform_kind, err);
    desc.acquisition = sac_recording_get_acquisition(recording);
    desc.dtype = in.dtype;
    desc.n_frames = 1;
    desc.n_samples = in.shape[3];
    desc.output = SAC_OUTPUT_BMODE;
    desc.dynamic_range_db = BEAMFORM_RANGE_DB;
    const int64_t start_ns = cli_clock_ns();
    st = st ? st : sac_beamform_open(&plan, &desc, err);
    if (st != SAC_OK) {
        return st;
    }
    sac_array image = sac_beamform_get_output_array(plan);
    if (!cli_beamform_image_memory(&image)) {
        sac_beamform_close(&plan);
        return view_no_memory(err);
    }
    s->open_ns = cli_clock_ns() - start_ns;
    sac_beamform_close(&s->plan);
    free(s->image.data);
    s->plan = plan;
    s->image = image;
    s->of = *settings;
    s->is_run = false;
    return SAC_OK;
}

static sac_status run(beamform_scene *s, const kept *k, int64_t frame, sac_error *err)
{
    sac_array in = sac_recording_get_array(k->recording);
    in.data =
        s->tapped ? (void *)s->tapped->data : (char *)in.data + (frame - k->first) * in.stride[0];
    in.shape[0] = 1;
    const int64_t start_ns = cli_clock_ns();
    const sac_status st = sac_beamform_run(s->plan, &s->image, &in, err);
    s->run_ns = cli_clock_ns() - start_ns;
    s->is_run = st == SAC_OK;
    return st;
}

/* Of frames that come by themselves the newest, or the one that is held. Whether there is one. */
static bool look(beamform_scene *s, bool plays)
{
    const bool is_held = s->tapped && !plays;
    const beamform_tapped *newest = is_held ? NULL : beamform_tap_take(s->frames.tap);
    atomic_store_explicit(&s->frames.tap->is_followed, !is_held, memory_order_relaxed);
    s->tapped = newest ? newest : s->tapped;
    s->is_run = s->is_run && !newest;
    return s->tapped;
}

static sac_status show(view_blob **out, view_scene *scene, const view_settings *common,
                       sac_error *err)
{
    beamform_scene *s = (beamform_scene *)scene;
    const beamform_settings *settings = (const beamform_settings *)common;
    const kept *k = NULL;
    *out = NULL;
    if (scene->is_live && !look(s, common->plays)) {
        return SAC_OK;
    }
    sac_status st = find(&k, s, settings, err);
    s->open_ns = 0;
    if (st == SAC_OK && (!s->plan || !beamform_settings_same_plan(&s->of, settings))) {
        st = open_plan(s, settings, k->recording, err);
    }
    if (st == SAC_OK && !(scene->is_live && s->is_run)) {
        st = run(s, k, common->frame, err);
    }
    if (st != SAC_OK) {
        return st;
    }
    const char *lri = view_settings_text(common, &beamform_kind, "lri");
    const beamform_shown shown = {.settings = settings,
                                  .device = view_settings_text(common, &beamform_kind, "device"),
                                  .plan = s->plan,
                                  .acquisition = sac_recording_get_acquisition(k->recording),
                                  .grid = cli_beamform_grid(s->job),
                                  .image = &s->image,
                                  .frame = s->tapped ? s->tapped->number : common->frame,
                                  .put = s->frames.put,
                                  .ctx = s->frames.ctx,
                                  .has_transmits = strcmp(lri, "true") == 0,
                                  .open_ns = s->open_ns,
                                  .run_ns = s->run_ns};
    return beamform_shown_message(out, &shown, err);
}

static bool can_be(view_scene *scene, const char *variant)
{
    beamform_scene *s = (beamform_scene *)scene;
    const sac_array in = sac_recording_get_array(s->all.recording);
    sac_beamform_desc desc = s->job->desc;
    sac_beamform *plan = NULL;
    desc.acquisition = sac_recording_get_acquisition(s->all.recording);
    desc.dtype = in.dtype;
    desc.n_frames = 1;
    desc.n_samples = in.shape[3];
    desc.device = (sac_device){SAC_DEVICE_CPU, 0};
    desc.variant = variant;
    const sac_status st = sac_beamform_open(&plan, &desc, NULL);
    sac_beamform_close(&plan);
    return st == SAC_OK;
}

/* As saccade beamform refuses them, before anybody looks. */
static int check(beamform_scene *s)
{
    cli_beamform_job *job = s->job;
    const sac_array in = sac_recording_get_array(s->all.recording);
    char where[CLI_SAMPLE_TEXT];
    sac_error err = {0};
    job->desc.acquisition = sac_recording_get_acquisition(s->all.recording);
    job->desc.dtype = in.dtype;
    job->desc.n_samples = in.shape[3];
    if (cli_recording_bad_sample(where, &in) >= 0) {
        return cli_fail("`%s`: samples: %s", job->input, where);
    }
    if (cli_beamform_choose_grid(job, in.shape[3], &err) != SAC_OK) {
        return cli_error(&err);
    }
    beamform_command_line_round(&job->desc);
    sac_array frame = in;
    frame.shape[0] = 1; /* so many are beamformed at once */
    job->desc.n_frames = 1;
    if (cli_beamform_size(job, &frame, frame.shape[0]) != CLI_DONE) {
        return CLI_FAILED;
    }
    beamform_settings settings;
    view_settings_init(&settings.common, &s->common);
    view_settings_from(&settings.common, &beamform_kind, sac_beamform_params(), &job->desc);
    if (open_plan(s, &settings, s->all.recording, &err) != SAC_OK) {
        return cli_error(&err);
    }
    return cli_beamform_is_heard(s->plan, job, in.shape[3])
               ? CLI_DONE
               : cli_fail("`%s`: no echo from the grid lies in the record: see t0 (%g us) and the "
                          "grid",
                          job->input, 1e6 * job->desc.acquisition->transmits[0].t0_s);
}

int beamform_scene_open(beamform_scene **out, cli_beamform_job *job, const beamform_frames *frames)
{
    beamform_scene *s = *out = cli_grow(NULL, 0, 1, sizeof *s);
    view_scene_init(&s->common, &beamform_kind);
    s->job = job;
    s->frames = *frames;
    s->common.is_live = s->common.is_made = frames->tap; /* counts go on while a frame is held */
    int status = cli_recording_read(&s->all.recording, job->input, &job->recording_desc);
    if (status != CLI_DONE) {
        return status;
    }
    s->common.limits.n_frames = sac_recording_get_array(s->all.recording).shape[0];
    s->file_c_m_s = sac_recording_get_acquisition(s->all.recording)->c_m_s;
    s->n_transmits = sac_recording_get_acquisition(s->all.recording)->n_transmits;
    status = check(s);
    if (s->common.is_live) {
        sac_beamform_close(&s->plan); /* its threads are to be the session's */
    }
    return status;
}

view_scene *beamform_scene_common(beamform_scene *scene)
{
    return &scene->common;
}

static sac_status take(const view_scene *scene, view_settings *settings, const char *name,
                       const char *text, sac_error *err)
{
    return beamform_settings_take((beamform_settings *)settings,
                                  ((const beamform_scene *)scene)->n_transmits, name, text, err);
}

static void take_back(view_settings *settings, const view_settings *good)
{
    ((beamform_settings *)settings)->c_m_s = ((const beamform_settings *)good)->c_m_s;
}

static void put_state(cli_json *json, const view_scene *scene, const view_settings *common)
{
    const beamform_scene *s = (const beamform_scene *)scene;
    const beamform_settings *settings = (const beamform_settings *)common;
    const sac_acquisition *a = sac_recording_get_acquisition(s->all.recording);
    const cli_listening_options *listening = s->frames.options;
    char *line = beamform_command_line(s->job, settings, listening);
    cli_json_string(json, "source", listening ? listening->listen : cli_base_name(s->job->input));
    cli_json_string(json, "command", line);
    cli_json_int(json, "first_frame", s->job->recording_desc.first_frame);
    cli_json_real(json, "frame_rate_hz", a->frame_rate_hz);
    cli_json_real(json, "file_c_m_s", s->file_c_m_s);
    cli_json_bool(json, "is_volume", cli_beamform_grid(s->job)->n[1] > 1);
    cli_json_int(json, "n_transmits", s->n_transmits);
    beamform_settings_put(json, settings);
    free(line);
}

const view_kind beamform_kind = {.name = "beamform",
                                 .settings_size = sizeof(beamform_settings),
                                 .controls = beamform_controls,
                                 .n_controls = BEAMFORM_CONTROLS,
                                 .take = take,
                                 .show = show,
                                 .put = put_state,
                                 .take_back = take_back,
                                 .can_be = can_be};

void beamform_scene_close(beamform_scene **scene)
{
    beamform_scene *s = *scene;
    if (s) {
        sac_beamform_close(&s->plan);
        sac_recording_close(&s->one.recording);
        sac_recording_close(&s->all.recording);
        free(s->image.data);
        view_scene_end(&s->common);
        free(s);
    }
    *scene = NULL;
}
