/*
 * saccade beamform at work: reads the recording, beamforms it, writes pictures or values.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <saccade/io.h>

#include "draw/page.h"
#include "videos.h"
#include "json.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "tables.h"

/* A call that gives no text with its status. */
static int write_delays(const cli_beamform_job *job, const sac_beamform *plan,
                        const sac_acquisition *a)
{
    int64_t n = (int64_t)a->n_transmits * a->n_elements;
    double *delays = cli_grow(NULL, 0, (size_t)n, sizeof *delays);
    double *weights = cli_grow(NULL, 0, (size_t)a->n_elements, sizeof *weights);
    double *waves = cli_grow(NULL, 0, (size_t)a->n_transmits, sizeof *waves);
    sac_beamform_get_delays(plan, job->point_m, 0, delays, weights);
    sac_beamform_get_transmit_weights(plan, job->point_m, waves);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        return cli_fail("no memory for a table of %" PRId64 " delays", n);
    }
    fprintf(file, "transmit,element,delay_s,sample,weight,transmit_weight\n");
    for (int64_t i = 0; i < n; i++) {
        fprintf(file, "%" PRId64 ",%" PRId64 ",%.12g,%.9g,%.9g,%.9g\n", i / a->n_elements,
                i % a->n_elements, delays[i], delays[i] * a->fs_hz, weights[i % a->n_elements],
                waves[i / a->n_elements]);
    }
    sac_error err = {0};
    int status = CLI_DONE;
    if (fclose(file) ||
        sac_file_write(job->output ? job->output : "-", text, size, &err) != SAC_OK) {
        status = cli_error(&err);
    } else if (job->output && !cli_is_dash(job->output)) {
        printf("%s: delays of %d transmit%s x %d element%s\n", job->output, a->n_transmits,
               cli_s(a->n_transmits), a->n_elements, cli_s(a->n_elements));
    }
    free(text);
    free(waves);
    free(weights);
    free(delays);
    return status;
}

sac_image_info cli_beamform_info(const cli_beamform_job *job, const sac_recording *recording)
{
    const sac_acquisition *a = job->desc.acquisition;
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < a->n_elements; i++) {
        low = fmin(low, a->elements[i].position_m[0]);
        high = fmax(high, a->elements[i].position_m[0]);
    }
    sac_image_info info = {.struct_size = sizeof info,
                           .grid = *cli_beamform_grid(job),
                           .sector = job->desc.sector,
                           .grid_kind =
                               job->desc.picture.n[0] ? SAC_GRID_CARTESIAN : job->desc.grid_kind,
                           .output = (sac_beamform_output)job->desc.output,
                           .dynamic_range_db = job->desc.dynamic_range_db,
                           .c_m_s = a->c_m_s,
                           .fc_hz = a->fc_hz,
                           .f_number = job->desc.f_number,
                           .aperture_m = high - low,
                           .frame_rate_hz = a->frame_rate_hz};
    /* RF is demodulated here, with the usual sign; IQ keeps that of its data. */
    if (job->desc.dtype == SAC_C64 && a->phase_sign < 0) {
        info.phase_sign = -1;
    }
    info.truth = sac_recording_get_truth(recording, &info.n_truth);
    return info;
}

int cli_beamform_write(const cli_beamform_job *job, const sac_array *image,
                       const sac_acquisition *a, const sac_recording *recording)
{
    if (!job->take && cli_beamform_is_picture(job->output)) {
        return cli_beamform_pictures(job, image, a->frame_rate_hz);
    }
    sac_image_info info = cli_beamform_info(job, recording);
    info.frame_rate_hz = a->frame_rate_hz; /* 0 where frames are missing in between */
    sac_error err = {0};
    return job->take ? job->take(job->take_ctx, image, &info)
           : sac_image_write(job->output, image, &info, &err) == SAC_OK ? CLI_DONE
                                                                        : cli_error(&err);
}

int cli_beamform_put_row(const cli_beamform_job *job, const sac_beamform *plan, const char *variant,
                         const sac_array *in, const cli_beamform_times *t)
{
    cli_json own, *json = cli_json_begin_row(&own, job->json, job->desc.device);
    char shape[64];
    uint64_t all, active;
    const int64_t runs = in->shape[0] / sac_beamform_get_output_array(plan).shape[0];
    sac_beamform_get_points(plan, &all, &active);
    cli_json_string(json, "pipeline", "beamform");
    cli_json_string(json, "input", job->input);
    cli_json_string(json, "output", job->output);
    snprintf(shape, sizeof shape, "%" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64 " %s",
             in->shape[0], in->shape[1], in->shape[2], in->shape[3], sac_dtype_name(in->dtype));
    cli_json_string(json, "shape", shape);
    const int64_t *n = job->desc.grid.n, *shown = job->desc.picture.n;
    snprintf(shape, sizeof shape, "%" PRId64 "x%" PRId64 "x%" PRId64, n[0], n[1], n[2]);
    cli_json_string(json, job->desc.grid_kind == SAC_GRID_SECTOR ? "sector" : "grid", shape);
    if (shown[0]) {
        snprintf(shape, sizeof shape, "%" PRId64 "x%" PRId64 "x%" PRId64, shown[0], shown[1],
                 shown[2]);
        cli_json_string(json, "picture", shape);
    }
    cli_json_int(json, "threads", job->desc.n_threads ? job->desc.n_threads : sac_cpu_count());
    cli_json_string(json, "variant", variant);
    cli_json_uint(json, "points", all * (uint64_t)runs);
    cli_json_uint(json, "active_points", active * (uint64_t)runs);
    cli_json_int(json, "read_ns", t->read_ns);
    cli_json_int(json, "open_ns", t->open_ns);
    cli_json_int(json, "run_ns", t->run_ns);
    cli_json_int(json, "write_ns", t->write_ns);
    return cli_json_end_row(&own, job->json, NULL, job->options.json);
}

/* "disk.png: 32 pictures, numbered, of 256 x 300 points, beamformed in 1.2 s: 26 frames a second"
 */
void cli_beamform_print_summary(const cli_beamform_job *job, const sac_array *image,
                                const cli_beamform_times *t)
{
    char run[16], read[16], write[16];
    const int64_t *n = cli_beamform_grid(job)->n, frames = image->shape[0];
    const bool pictures = cli_beamform_is_picture(job->output);
    const int64_t n_pictures = frames * (job->desc.lri ? image->shape[1] : 1);
    double seconds = 1e-9 * (double)(t->run_ns > 0 ? t->run_ns : 1);
    printf("%s: ", job->output);
    if (pictures && cli_beamform_is_movie(job->output)) {
        printf("a movie of %" PRId64 " pictures of ", n_pictures);
    } else if (pictures && n_pictures > 1) {
        printf("%" PRId64 " pictures, numbered, of ", n_pictures);
    } else {
        printf("%" PRId64 " frame%s of ", frames, cli_s(frames));
    }
    char *points = n[1] > 1 ? cli_text("%" PRId64 " x %" PRId64 " x %" PRId64, n[0], n[1], n[2])
                            : cli_text("%" PRId64 " x %" PRId64, n[0], n[2]);
    printf("%s points, beamformed in %s: %.3g frames a second; reading %s, writing %s\n", points,
           cli_time_text(run, sizeof run, (double)t->run_ns), (double)frames / seconds,
           cli_time_text(read, sizeof read, (double)t->read_ns),
           cli_time_text(write, sizeof write, (double)t->write_ns));
    if (pictures && !cli_cairo_version()) {
        puts("This build has no Cairo (libcairo2-dev), which draws axes and titles around "
             "pictures.");
    }
    free(points);
}

/* A recording that is damaged, or not what it seems. */
static int check_samples(const cli_beamform_job *job, const sac_array *in)
{
    char where[CLI_SAMPLE_TEXT];
    return cli_recording_bad_sample(where, in) < 0
               ? CLI_DONE
               : cli_fail("`%s`: samples: %s", job->input, where);
}

#define PROBES 5 /* points a side at which a grid is looked at */

bool cli_beamform_is_heard(const sac_beamform *plan, const cli_beamform_job *job, int64_t n_samples)
{
    const sac_acquisition *a = job->desc.acquisition;
    const sac_grid *g = &job->desc.grid;
    int64_t n = (int64_t)a->n_transmits * a->n_elements;
    double *delays = cli_grow(NULL, 0, (size_t)n, sizeof *delays);
    double *weights = cli_grow(NULL, 0, (size_t)a->n_elements, sizeof *weights);
    bool heard = false;
    for (int k = 0; k < PROBES * PROBES * PROBES && !heard; k++) {
        const int at[] = {k % PROBES, k / PROBES % PROBES, k / PROBES / PROBES};
        double p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = g->first_m[i] + (g->last_m[i] - g->first_m[i]) * at[i] / (PROBES - 1);
        }
        if (job->desc.grid_kind == SAC_GRID_SECTOR) {
            sac_sector_point(p, &job->desc.sector, p[0], p[1], p[2]);
        }
        sac_beamform_get_delays(plan, p, 0, delays, weights);
        for (int64_t i = 0; i < n && !heard; i++) {
            heard = weights[i % a->n_elements] > 0 && delays[i] >= 0 &&
                    delays[i] * a->fs_hz <= (double)(n_samples - 1);
        }
    }
    free(weights);
    free(delays);
    return heard;
}

int cli_beamform_check_heard(const sac_beamform *plan, const cli_beamform_job *job,
                             int64_t n_samples)
{
    return cli_beamform_is_heard(plan, job, n_samples)
               ? CLI_DONE
               : cli_fail(
                     "`%s`: no echo from the grid lies in the record: see t0 (%g us) and the grid",
                     job->input, 1e6 * job->desc.acquisition->transmits[0].t0_s);
}

/* Whether an image shows nothing: decibels are those of the brightest point, which there is none.
 */
bool cli_beamform_is_dark(const cli_beamform_job *job, const sac_array *image)
{
    const int64_t n = sac_array_count(image) * (image->dtype == SAC_C64 ? 2 : 1);
    const float dark =
        job->desc.output == SAC_OUTPUT_BMODE ? -(float)job->desc.dynamic_range_db : 0;
    const float *values = image->data;
    const uint8_t *grays = image->data;
    int64_t i = 0;
    while (i < n &&
           (image->dtype == SAC_U8 ? grays[i] == 0 : values[i] <= dark && values[i] >= dark)) {
        i++;
    }
    return i == n;
}

void *cli_beamform_image_memory(sac_array *image)
{
    ptrdiff_t size = (ptrdiff_t)sac_dtype_size(image->dtype);
    for (int i = image->n_dims - 1; i >= 0; i--) {
        image->stride[i] = size;
        if (__builtin_mul_overflow(size, (ptrdiff_t)image->shape[i], &size)) {
            return NULL;
        }
    }
    image->data = malloc((size_t)size);
    return image->data;
}

static int beamform(cli_beamform_job *job, const sac_recording *recording, sac_beamform *plan,
                    cli_beamform_times *t)
{
    const sac_array in = sac_recording_get_array(recording);
    if (job->options.delays) {
        return write_delays(job, plan, sac_recording_get_acquisition(recording));
    }
    if (cli_beamform_check_heard(plan, job, in.shape[3]) != CLI_DONE) {
        return CLI_FAILED;
    }
    sac_array image = sac_beamform_get_output_array(plan);
    if (!cli_beamform_image_memory(&image)) {
        return cli_fail("no memory for an image of %" PRId64 " values", sac_array_count(&image));
    }
    sac_error err = {0};
    int64_t start_ns = cli_clock_ns();
    sac_status ran = sac_beamform_run(plan, &image, &in, &err);
    t->run_ns = cli_clock_ns() - start_ns;
    cli_progress_hide(job->desc.progress_ctx);
    int status = ran == SAC_OK ? CLI_DONE : cli_fail("beamform: %s", err.text);
    if (status == CLI_DONE && cli_beamform_is_dark(job, &image)) {
        cli_warn("`%s`: the image is dark: all of its points are 0", job->input);
    }
    if (status == CLI_DONE) {
        start_ns = cli_clock_ns();
        status =
            cli_beamform_write(job, &image, sac_recording_get_acquisition(recording), recording);
        t->write_ns = cli_clock_ns() - start_ns;
    }
    if (status == CLI_DONE && job->options.json && !job->take) {
        status = cli_beamform_put_row(job, plan, sac_beamform_get_variant(plan), &in, t);
    }
    if (status == CLI_DONE && !job->take && !cli_is_dash(job->output) &&
        !cli_is_dash(job->options.json)) {
        cli_beamform_print_summary(job, &image, t);
    }
    free(image.data);
    return status;
}

static int open_and_run(cli_beamform_job *job, const sac_recording *recording,
                        cli_beamform_times *t)
{
    sac_error err = {0};
    sac_beamform *plan = NULL;
    const sac_array in = sac_recording_get_array(recording);
    cli_progress progress;
    cli_progress_open(&progress, "points");
    job->desc.acquisition = sac_recording_get_acquisition(recording);
    job->desc.dtype = in.dtype;
    job->desc.n_frames = in.shape[0];
    job->desc.n_samples = in.shape[3];
    job->desc.progress = progress.shown ? cli_progress_step : NULL;
    job->desc.progress_ctx = &progress;
    int64_t start_ns = cli_clock_ns();
    sac_status st = SAC_OK;
    st = cli_beamform_choose_grid(job, in.shape[3], &err);
    if (st == SAC_OK && !job->options.delays &&
        cli_beamform_size(job, &in, in.shape[0]) != CLI_DONE) {
        return CLI_FAILED;
    }
    st = st ? st : sac_beamform_open(&plan, &job->desc, &err);
    t->open_ns = cli_clock_ns() - start_ns;
    int status = st == SAC_OK ? beamform(job, recording, plan, t) : cli_error(&err);
    sac_beamform_close(&plan);
    return status;
}

int cli_beamform_run(cli_beamform_job *job)
{
    if (cli_beamform_may_be_in_parts(job)) {
        const int status = cli_beamform_run_in_parts(job);
        if (status != CLI_GO) {
            return status;
        }
    }
    sac_recording *recording = NULL;
    cli_beamform_times t = {0};
    int64_t start_ns = cli_clock_ns();
    int status = cli_recording_read(&recording, job->input, &job->recording_desc);
    if (status != CLI_DONE) {
        return status;
    }
    t.read_ns = cli_clock_ns() - start_ns;
    const sac_array in = sac_recording_get_array(recording);
    status = check_samples(job, &in);
    status = status ? status : open_and_run(job, recording, &t);
    sac_recording_close(&recording);
    return status;
}
