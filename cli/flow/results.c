/*
 * What saccade flow made: pictures or values, the JSON, the summary.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "work.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/page.h"
#include "json.h"
#include "outputs.h"
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

/* An ensemble's planes. */
static const float *plane(const cli_flow_work *w, int64_t ensemble, int k)
{
    const int64_t points = w->info->grid.n[0] * w->info->grid.n[2];
    const int64_t planes = w->out.n_dims > 3 ? w->out.shape[1] : 1;
    return (const float *)w->out.data + (ensemble * planes + k) * points;
}

static sac_status draw(const cli_flow_work *w, int64_t e, const char *path, sac_error *err)
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

static int write_pictures(const cli_flow_work *w)
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

static int write_values(const cli_flow_work *w)
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

static int put_row(const cli_flow_work *w, int64_t run_ns)
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
static void print_summary(const cli_flow_work *w, int64_t run_ns)
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
static int check_result(const cli_flow_work *w)
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

int cli_flow_finish(const cli_flow_work *w, int64_t run_ns)
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

sac_status cli_flow_add_power(cli_flow_work *w, sac_error *err)
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
