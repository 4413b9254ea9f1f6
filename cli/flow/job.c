/*
 * saccade flow at work.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/page.h"
#include "json.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "tables.h"
#include "videos.h"

/* As files call what a kind makes. */
static const sac_beamform_output outputs[] = {
    [SAC_FLOW_POWER] = SAC_OUTPUT_POWER,
    [SAC_FLOW_COLOR] = SAC_OUTPUT_VELOCITY,
    [SAC_FLOW_DIRECTIONAL] = SAC_OUTPUT_DIRECTIONAL,
    [SAC_FLOW_VARIANCE] = SAC_OUTPUT_VARIANCE,
    [SAC_FLOW_COLOR_POWER] = SAC_OUTPUT_VELOCITY_POWER,
    [SAC_FLOW_VECTOR] = SAC_OUTPUT_VECTOR,
};
static const char *const names[] = {"power",    "color",       "directional",
                                    "variance", "color-power", "vector"};

typedef struct work {
    cli_flow_job *job;
    sac_flow_desc desc;
    const sac_array *iq;
    const sac_image_info *info;
    sac_flow *plan;
    sac_array out;
    int64_t first_frame;
    /* Of a picture of vectors: all transmits in one, and their power in dB. */
    sac_array compound, power;
    double top_m_s;
} work;

/* An ensemble's planes. */
static const float *plane(const work *w, int64_t ensemble, int k)
{
    const int64_t points = w->info->grid.n[0] * w->info->grid.n[2];
    const int64_t planes = w->out.n_dims > 3 ? w->out.shape[1] : 1;
    return (const float *)w->out.data + (ensemble * planes + k) * points;
}

static sac_status draw(const work *w, int64_t e, const char *path, sac_error *err)
{
    const sac_flow_desc *d = &w->desc;
    const int64_t points = w->info->grid.n[0] * w->info->grid.n[2], n = w->out.shape[0];
    const int64_t frames = d->ensemble ? d->ensemble : w->iq->shape[0];
    const int64_t first = e * (d->step ? d->step : frames);
    const char *what = d->kind == SAC_FLOW_POWER         ? "Power Doppler"
                       : d->kind == SAC_FLOW_DIRECTIONAL ? "Directional power Doppler"
                       : d->kind == SAC_FLOW_VECTOR      ? "Vector Doppler"
                                                         : "Color Doppler";
    char *title = n > 1 ? cli_text("%s of %s, frames %" PRId64 " to %" PRId64, what,
                                   cli_base_name(w->job->input), w->first_frame + first,
                                   w->first_frame + first + frames - 1)
                        : cli_text("%s of %s", what, cli_base_name(w->job->input));
    const bool is_vector = d->kind == SAC_FLOW_VECTOR;
    const float *iq = is_vector ? w->compound.data : w->iq->data;
    const cli_flow_picture p = {.first = plane(w, e, 0),
                                .second = d->kind == SAC_FLOW_POWER ? NULL
                                          : is_vector ? (const float *)w->power.data + e * points
                                                      : plane(w, e, 1),
                                .along_z = is_vector ? plane(w, e, 1) : NULL,
                                .iq = iq + 2 * points * (first + frames / 2),
                                .grid = &w->info->grid,
                                .is_power = d->kind == SAC_FLOW_POWER,
                                .is_directional = d->kind == SAC_FLOW_DIRECTIONAL,
                                .nyquist_m_s =
                                    is_vector ? w->top_m_s : sac_flow_get_nyquist(w->plan),
                                .range_db = d->dynamic_range_db,
                                .image_range_db = w->job->options.image_range_db,
                                .title = title};
    const sac_status st = cli_flow_draw(path, &p, err);
    free(title);
    return st;
}

static int write_pictures(const work *w)
{
    sac_error err = {0};
    sac_status st = SAC_OK;
    for (int64_t e = 0, n = w->out.shape[0]; e < n && st == SAC_OK; e++) {
        char *path = cli_beamform_series_name(w->job->options.output, e, n);
        st = draw(w, e, path, &err);
        free(path);
    }
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

static int write_values(const work *w)
{
    const sac_flow_desc *d = &w->desc;
    const int64_t n = d->ensemble ? d->ensemble : d->n_frames;
    const bool in_db = d->scale == SAC_FLOW_DB && d->kind != SAC_FLOW_COLOR &&
                       d->kind != SAC_FLOW_VARIANCE && d->kind != SAC_FLOW_VECTOR;
    sac_image_info info = *w->info;
    sac_error err = {0};
    info.output = outputs[d->kind];
    info.dynamic_range_db = in_db ? d->dynamic_range_db : 0;
    info.frame_rate_hz = d->prf_hz / (double)(d->step ? d->step : n);
    info.nyquist_m_s = sac_flow_get_nyquist(w->plan);
    info.prf_hz = d->prf_hz;
    info.fc_hz = d->fc_hz;
    info.c_m_s = d->c_m_s;
    return sac_image_write(w->job->options.output, &w->out, &info, &err) == SAC_OK
               ? CLI_DONE
               : cli_error(&err);
}

static int put_row(const work *w, int64_t run_ns)
{
    const sac_flow_desc *d = &w->desc;
    const char *path = w->job->options.json;
    cli_json own, *json = cli_json_begin_row(&own, NULL, d->device);
    char shape[48];
    int32_t low, high;
    cli_json_string(json, "pipeline", "flow");
    cli_json_string(json, "input", w->job->input);
    cli_json_string(json, "output", w->job->options.output);
    cli_json_string(json, "shape", cli_shape_text(shape, sizeof shape, w->iq));
    cli_json_string(json, "kind", names[w->job->desc.kind]);
    cli_json_string(json, "filter", d->filter ? d->filter : "none");
    cli_json_int(json, "ensembles", w->out.shape[0]);
    cli_json_int(json, "ensemble", d->ensemble ? d->ensemble : w->iq->shape[0]);
    cli_json_int(json, "lag", d->lag);
    cli_json_real(json, "prf_hz", d->prf_hz);
    cli_json_real(json, "fc_hz", d->fc_hz);
    cli_json_real(json, "c_m_s", d->c_m_s);
    cli_json_real(json, "nyquist_m_s", sac_flow_get_nyquist(w->plan));
    if (d->kind == SAC_FLOW_VECTOR) {
        cli_json_int(json, "transmits", d->n_transmits);
        cli_json_real(json, "condition", sac_flow_get_condition(w->plan));
    }
    if (sac_flow_get_singular_values(w->plan, 0, &low, &high)) {
        cli_json_int(json, "kept_from", low); /* of the first ensemble */
        cli_json_int(json, "kept_to", high);
    }
    cli_json_int(json, "threads", d->n_threads ? d->n_threads : sac_cpu_count());
    cli_json_string(json, "variant", sac_flow_get_variant(w->plan));
    cli_json_int(json, "run_ns", run_ns);
    return cli_json_end_row(&own, NULL, NULL, path);
}

/* "flow.png: color of 1 ensemble of 32 frames, 251 x 251 points, in 12 ms; Nyquist velocity 0.74
 * m/s; svd:auto took out 5 of 32 components" */
static void print_summary(const work *w, int64_t run_ns)
{
    const sac_flow_desc *d = &w->desc;
    const int64_t n = w->out.shape[0];
    int32_t low, high;
    char time[16];
    const int64_t *points = w->info->grid.n, length = d->ensemble ? d->ensemble : w->iq->shape[0];
    const int64_t rest = w->iq->shape[0] - (n - 1) * (d->step ? d->step : length) - length;
    printf("%s: %s of %" PRId64 " ensemble%s of %" PRId64 " frames, ", w->job->options.output,
           names[w->job->desc.kind], n, cli_s(n), length);
    if (points[1] > 1) {
        printf("%" PRId64 " x ", points[1]);
    }
    printf("%" PRId64 " x %" PRId64 " points, in %s", points[0], points[2],
           cli_time_text(time, sizeof time, (double)run_ns));
    if (rest > 0) {
        printf("; the last %" PRId64 " frame%s left over", rest, cli_s(rest));
    }
    if (d->kind == SAC_FLOW_COLOR || d->kind == SAC_FLOW_COLOR_POWER) {
        printf("; Nyquist velocity %.4g m/s", sac_flow_get_nyquist(w->plan));
    } else if (d->kind == SAC_FLOW_VECTOR) {
        printf("; %d angles, Nyquist velocity of each %.4g m/s, noise along x %.3g times theirs",
               d->n_transmits, sac_flow_get_nyquist(w->plan),
               sac_flow_get_condition(w->plan) / sqrt(d->n_transmits));
    }
    if (sac_flow_get_singular_values(w->plan, 0, &low, &high)) {
        printf("; %s kept components %d to %d%s", d->filter, low, high - 1,
               n > 1 || d->kind == SAC_FLOW_VECTOR ? " of the first" : "");
    } else if (!d->filter || strcmp(d->filter, "none") == 0) {
        printf("; no wall filter (--filter), so tissue is in it");
    }
    puts("");
    if (w->job->is_picture && n > 0 && !cli_cairo_version()) {
        puts("This build has no Cairo (libcairo2-dev), which draws axes, titles and color bars.");
    }
}

/* Whether the result is one; and what a reader should know of it. */
static int check_result(const work *w)
{
    const float *values = w->out.data;
    const int64_t n = sac_array_count(&w->out);
    int32_t low, high;
    int64_t i = 0;
    while (i < n && !isfinite(values[i])) {
        i++;
    }
    if (i == n) {
        return cli_fail("`%s`: samples are so large that their squares have no place in float",
                        w->job->input);
    }
    if (w->desc.filter && !strcmp(w->desc.filter, "svd:auto") &&
        sac_flow_get_singular_values(w->plan, 0, &low, &high) && 2 * low > high) {
        cli_warn("svd:auto takes out %d of %d components, more than tissue has as a rule: compare "
                 "with svd:K of a small K",
                 low, high);
    }
    return CLI_DONE;
}

static int finish(const work *w, int64_t run_ns)
{
    const cli_flow_options *o = &w->job->options;
    int status = check_result(w);
    if (status) {
        return status;
    }
    status = w->job->is_picture ? write_pictures(w) : write_values(w);
    if (status == CLI_DONE && o->json) {
        status = put_row(w, run_ns);
    }
    if (status == CLI_DONE && !cli_is_dash(o->output) && !cli_is_dash(o->json)) {
        print_summary(w, run_ns);
    }
    return status;
}

/* What pictures of vectors show besides: the power Doppler of all transmits in one. */
static sac_status add_power(work *w, sac_error *err)
{
    const int64_t points = w->info->grid.n[0] * w->info->grid.n[2];
    sac_flow *plan = NULL;
    sac_flow_desc d = w->desc;
    w->compound = cli_flow_compound(w->iq);
    d.kind = SAC_FLOW_POWER;
    d.n_transmits = 0;
    d.progress = NULL;
    sac_status st = sac_flow_open(&plan, &d, err);
    w->power = sac_flow_get_output_array(plan);
    w->power.data = cli_grow(NULL, 0, (size_t)(w->out.shape[0] * points), sizeof(float));
    st = st ? st : sac_flow_run(plan, &w->power, &w->compound, err);
    sac_flow_close(&plan);
    for (int64_t e = 0; e < w->out.shape[0] && st == SAC_OK; e++) {
        const cli_flow_picture p = {.first = plane(w, e, 0),
                                    .second = (const float *)w->power.data + e * points,
                                    .along_z = plane(w, e, 1),
                                    .range_db = d.dynamic_range_db};
        w->top_m_s = fmax(w->top_m_s, cli_flow_top_speed(&p, points));
    }
    return st;
}

static int open_and_run(work *w)
{
    sac_error err = {0};
    cli_progress progress;
    cli_progress_open(&progress, "ensembles");
    progress.steps = SAC_FLOW_STEPS;
    w->desc.progress = progress.shown ? cli_progress_step : NULL;
    w->desc.progress_ctx = &progress;
    if (sac_flow_open(&w->plan, &w->desc, &err) != SAC_OK) {
        return cli_error(&err);
    }
    if (sac_flow_get_condition(w->plan) > SAC_FLOW_POOR_CONDITION) {
        cli_warn("`%s`: its angles lie close together (condition number %.3g): the velocity along "
                 "x is noisy",
                 w->job->input, sac_flow_get_condition(w->plan));
    }
    w->out = sac_flow_get_output_array(w->plan);
    w->out.data = cli_grow(NULL, 0, (size_t)sac_array_count(&w->out), sizeof(float));
    const int64_t start_ns = cli_clock_ns();
    sac_status st = sac_flow_run(w->plan, &w->out, w->iq, &err);
    const int64_t run_ns = cli_clock_ns() - start_ns;
    cli_progress_hide(&progress);
    if (st == SAC_OK && w->job->is_picture && w->desc.kind == SAC_FLOW_VECTOR) {
        st = add_power(w, &err);
    }
    const int status = st == SAC_OK ? finish(w, run_ns) : cli_error(&err);
    free(w->power.data);
    free(w->compound.data);
    free(w->out.data);
    return status;
}

/* The rates that the options and the file give. */
static int take_rates(work *w, double frame_rate_hz, double fc_hz, double c_m_s)
{
    sac_flow_desc *d = &w->desc;
    const bool has_velocity = d->kind != SAC_FLOW_POWER && d->kind != SAC_FLOW_DIRECTIONAL;
    d->prf_hz = d->prf_hz > 0 ? d->prf_hz : frame_rate_hz;
    d->fc_hz = fc_hz;
    d->c_m_s = c_m_s > 0 ? c_m_s : 1540;
    if (has_velocity && !(d->prf_hz > 0)) {
        return cli_misuse(&cli_flow, "`%s` does not say how many frames a second it has: --prf HZ",
                          w->job->input);
    }
    if (has_velocity && !(d->fc_hz > 0)) {
        return cli_misuse(&cli_flow, "`%s` does not say the pulse's center frequency: --fc MHZ",
                          w->job->input);
    }
    return CLI_DONE;
}

/* With --carrier images: what the images say their frequency is. */
static int take_carrier(work *w)
{
    const sac_grid *g = &w->info->grid;
    sac_flow_desc *d = &w->desc;
    sac_error err = {0};
    if (!w->job->options.carrier) {
        return CLI_DONE;
    }
    if (d->kind == SAC_FLOW_VECTOR || d->kind == SAC_FLOW_POWER ||
        d->kind == SAC_FLOW_DIRECTIONAL) {
        return cli_misuse(&cli_flow, "--carrier images: is of color, color-power and variance");
    }
    if (g->n[2] < 2 || g->n[1] > 1) {
        return cli_misuse(&cli_flow, "--carrier images: `%s` is no plane with several depths",
                          w->job->input);
    }
    return sac_flow_mean_frequency(&d->fc_hz, w->iq,
                                   (g->last_m[2] - g->first_m[2]) / (double)(g->n[2] - 1), d->fc_hz,
                                   d->c_m_s, d->phase_sign, &err) == SAC_OK
               ? CLI_DONE
               : cli_error(&err);
}

/* Of images in memory. */
static int work_on(cli_flow_job *job, const sac_array *iq, const sac_image_info *info,
                   int64_t first_frame)
{
    work w = {.job = job, .desc = job->desc, .iq = iq, .info = info, .first_frame = first_frame};
    const bool has_color = job->desc.kind == SAC_FLOW_COLOR && job->is_picture;
    const int axes = job->desc.kind == SAC_FLOW_VECTOR ? 2 : 1; /* before those of points */
    int status = cli_flow_check(job, iq, info);
    status = status ? status : take_rates(&w, info->frame_rate_hz, info->fc_hz, info->c_m_s);
    if (status) {
        return status;
    }
    w.desc.kind = has_color ? SAC_FLOW_COLOR_POWER : job->desc.kind;
    if (job->is_picture) {
        w.desc.scale = SAC_FLOW_DB;
    }
    if (axes == 2) {
        status = cli_flow_angles(job, iq, info);
        w.desc.azimuth_rad = job->azimuth_rad;
        w.desc.n_transmits = (int32_t)iq->shape[1];
    }
    if (job->is_picture &&
        (w.desc.kind == SAC_FLOW_COLOR_POWER || w.desc.kind == SAC_FLOW_VECTOR)) {
        w.desc.dynamic_range_db = job->options.color_range_db;
    }
    w.desc.n_frames = iq->shape[0];
    w.desc.n_axes = iq->n_dims - axes;
    w.desc.phase_sign = info->phase_sign < 0 ? -1 : 1;
    memcpy(w.desc.shape, iq->shape + axes, (size_t)w.desc.n_axes * sizeof *w.desc.shape);
    status = status ? status : take_carrier(&w);
    status = status ? status : open_and_run(&w);
    sac_flow_close(&w.plan);
    return status;
}

int cli_flow_take(void *ctx, const sac_array *image, const sac_image_info *info)
{
    cli_flow_job *job = ctx;
    const double fd_hz = job->beam.recording_desc.fd_hz;
    if (job->beam.desc.dtype != SAC_C64 && fabs(fd_hz - info->fc_hz) > 0.005 * info->fc_hz) {
        cli_warn("--fd: the band that is kept lies around %g MHz, and velocities are those of an "
                 "echo at fc, %g MHz",
                 1e-6 * fd_hz, 1e-6 * info->fc_hz);
    }
    return work_on(job, image, info, job->beam.recording_desc.first_frame);
}

/* Options that describe channel data say nothing of an image. */
static int refuse_of_image(const cli_flow_job *job)
{
    static const char *const of_channels[] = {"grid",      "f-number",  "apodization", "band",
                                              "transmits", "fs",        "fd",          "t0",
                                              "pitch",     "bandwidth", NULL};
    for (int i = 0; of_channels[i]; i++) {
        const bool is_angles =
            job->desc.kind == SAC_FLOW_VECTOR && strcmp(of_channels[i], "transmits") == 0;
        if (!is_angles && cli_was_given(of_channels[i])) {
            return cli_misuse(&cli_flow, "--%s is of channel data, and `%s` is beamformed",
                              of_channels[i], job->input);
        }
    }
    return CLI_DONE;
}

static int run_image(cli_flow_job *job, const sac_image *image)
{
    const sac_recording_desc *r = &job->beam.recording_desc;
    sac_image_info info = *sac_image_get_info(image);
    sac_array all = sac_image_get_array(image), frames = all;
    sac_error err = {0};
    int status = refuse_of_image(job);
    if (status) {
        return status;
    }
    info.fc_hz = isnan(r->fc_hz) ? info.fc_hz : r->fc_hz;
    info.c_m_s = isnan(r->c_m_s) ? info.c_m_s : r->c_m_s;
    if (r->n_frames > 0 &&
        (r->first_frame + r->n_frames > all.shape[0] ||
         sac_array_range(&frames, &all, 0, r->first_frame, r->n_frames, &err) != SAC_OK)) {
        return cli_misuse(&cli_flow, "--frames: `%s` has frames 0 to %" PRId64, job->input,
                          all.shape[0] - 1);
    }
    return work_on(job, &frames, &info, r->first_frame);
}

int cli_flow_run(cli_flow_job *job)
{
    sac_image *image = NULL;
    sac_error err = {0};
    const sac_status st = sac_image_read(&image, job->input, &err);
    if (st == SAC_E_IO || st == SAC_E_NOMEM) {
        return cli_error(&err);
    }
    const int status = image ? run_image(job, image) : cli_beamform_run(&job->beam);
    sac_image_close(&image);
    return status;
}
