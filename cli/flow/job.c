/*
 * saccade flow at work: the plan, of images from a file or beamformed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "work.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "progress.h"

static int open_and_run(cli_flow_work *w)
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
        st = cli_flow_add_power(w, &err);
    }
    const int status = st == SAC_OK ? cli_flow_finish(w, run_ns) : cli_error(&err);
    free(w->power.data);
    free(w->compound.data);
    free(w->out.data);
    return status;
}

/* The rates that the options and the file give. */
static int take_rates(cli_flow_work *w, double frame_rate_hz, double fc_hz, double c_m_s)
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
static int take_carrier(cli_flow_work *w)
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
    cli_flow_work w = {
        .job = job, .desc = job->desc, .iq = iq, .info = info, .first_frame = first_frame};
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
