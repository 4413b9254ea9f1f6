/*
 * A file of frames through sac_meltpool, a batch in memory at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "videos.h"
#include "choose.h"
#include "progress.h"

#define BATCH_BYTES (4 << 20) /* of frames in memory */
#define MOST_BATCH 4096
#define SIMULATED_UM2 5000 /* of the layer, that a simulated frame stands for */

/* Pores that are predicted around the wrong places look like any others. */
static int check_calibration(const cli_meltpool_job *job)
{
    return job->model && cli_meltpool_lacks_calibration(job)
               ? cli_fail("`%s`: has no calibration, which predictions need: "
                          "expected " CLI_MELTPOOL_CALIBRATIONS,
                          job->input)
               : CLI_DONE;
}

/* What the file must have for what the options want. */
static int check_input(cli_meltpool_job *job)
{
    const sac_frames_info *info = job->info;
    sac_meltpool_desc *desc = &job->desc;
    if (!info->has_signals && desc->locate == SAC_MELTPOOL_LASER) {
        return cli_fail("`%s`: has no /signals that say where the laser is: expected them, or "
                        "--locate brightest, previous or fixed",
                        job->input);
    }
    if (info->w < desc->roi || info->h < desc->roi) {
        return cli_fail("`%s`: frames of %d x %d are smaller than the region of interest, %d x %d "
                        "(--roi)",
                        job->input, info->w, info->h, desc->roi, desc->roi);
    }
    desc->w = info->w;
    desc->h = info->h;
    desc->rate_hz = info->rate_hz > 0 && !job->rate_given ? info->rate_hz : desc->rate_hz;
    if (job->options.frame_um2 <= 0 && info->has_truth) {
        job->options.frame_um2 = SIMULATED_UM2;
    }
    return cli_meltpool_calibrate(job, job->options.calibration);
}

/* How many frames are run at once, and how many are in memory. */
static int set_batches(cli_meltpool_job *job)
{
    const int64_t fit = BATCH_BYTES / ((int64_t)job->info->w * job->info->h);
    int32_t batch = job->options.batch;
    job->n_read = fit < 1 ? 1 : fit > MOST_BATCH ? MOST_BATCH : fit;
    if (job->options.budget_us > 0) {
        const int status =
            cli_meltpool_choose(&job->desc, &batch, &job->chosen, 0, job->options.budget_us);
        if (status) {
            return status;
        }
    }
    job->one_by_one = job->one_by_one && batch <= 1;
    job->n_batch = batch > 0 ? batch : job->n_read;
    job->n_read = (job->n_read + job->n_batch - 1) / job->n_batch * job->n_batch;
    if (job->one_by_one) {
        job->desc.n_threads = 1;
    }
    return CLI_DONE;
}

void *cli_meltpool_memory(const cli_meltpool_job *job, size_t bytes, sac_error *err)
{
    void *memory = NULL;
    if (job->desc.device.kind == SAC_DEVICE_CPU) {
        return cli_grow(NULL, 0, bytes, 1);
    }
    return sac_pinned_alloc(&memory, bytes, job->desc.device, err) == SAC_OK ? memory : NULL;
}

/* To free page-locked memory is to wait for all kernels, and one that hangs may be among them. */
void cli_meltpool_free(const cli_meltpool_job *job, void *memory)
{
    if (job->desc.device.kind == SAC_DEVICE_CPU) {
        free(memory);
    } else if (!job->gpu_failed) {
        sac_pinned_free(memory, job->desc.device);
    }
}

static int open_plan(cli_meltpool_job *job)
{
    sac_error err = {0};
    const int status = set_batches(job);
    if (status) {
        return status;
    }
    if (sac_meltpool_open(&job->plan, &job->desc, &err) != SAC_OK) {
        return cli_error(&err);
    }
    size_t room = (size_t)job->n_read;
    job->frames =
        cli_meltpool_memory(job, room * (size_t)job->info->w * (size_t)job->info->h, &err);
    if (!job->frames) {
        return cli_error(&err);
    }
    job->signals = job->info->has_signals ? cli_grow(NULL, 0, room, sizeof *job->signals) : NULL;
    job->truth = job->info->has_truth ? cli_grow(NULL, 0, room, sizeof *job->truth) : NULL;
    job->records = cli_grow(NULL, 0, room, sizeof *job->records);
    return CLI_DONE;
}

sac_status cli_meltpool_create(cli_meltpool_job *job, const char *path, sac_records_info *info,
                               sac_error *err)
{
    char *parameters = cli_meltpool_parameters(job);
    info->has_prediction = job->model != NULL;
    info->has_calibration = cli_meltpool_is_calibrated(job);
    memcpy(info->calibration, job->desc.calibration, sizeof info->calibration);
    info->rate_hz = job->desc.rate_hz;
    info->model = job->model ? sac_meltpool_model_get_description(job->model) : NULL;
    info->parameters = parameters;
    sac_status st = sac_records_create(&job->out, path, info, err);
    free(parameters);
    return st;
}

static int open_output(cli_meltpool_job *job)
{
    if (!job->options.output) {
        return CLI_DONE;
    }
    sac_error err = {0};
    sac_records_info info;
    sac_records_info_init(&info);
    info.has_signals = job->info->has_signals;
    info.has_truth = job->info->has_truth;
    return cli_meltpool_create(job, job->options.output, &info, &err) == SAC_OK ? CLI_DONE
                                                                                : cli_error(&err);
}

int cli_meltpool_open_job(cli_meltpool_job *job)
{
    sac_error err = {0};
    if (sac_frames_open(&job->in, job->input, &err) != SAC_OK) {
        return cli_error(&err);
    }
    job->info = sac_frames_get_info(job->in);
    int status = check_input(job);
    if (status == CLI_DONE && sac_histogram_open(&job->times, &err) != SAC_OK) {
        return cli_error(&err);
    }
    status = status ? status : cli_meltpool_open_model(job);
    status = status ? status : check_calibration(job);
    status = status ? status : open_plan(job);
    status = status ? status : open_output(job);
    if (status == CLI_DONE && job->options.plot) {
        const cli_meltpool_view view = {job->desc.rate_hz, job->options.layer_gap_s,
                                        job->model != NULL};
        if (cli_meltpool_plot_open(&job->plot, job->in, &view, &err) != SAC_OK) {
            return cli_error(&err);
        }
    }
    if (status == CLI_DONE) {
        cli_meltpool_compare_model(job);
    }
    return status;
}

/* Each frame by itself, from the end of the one before to its own end. *done: how many were. */
static sac_status run_each(cli_meltpool_job *job, const sac_array *frames, int64_t *done,
                           sac_error *err)
{
    sac_array frame = *frames;
    frame.n_dims = 2;
    memmove(frame.shape, frames->shape + 1, 2 * sizeof *frame.shape);
    memmove(frame.stride, frames->stride + 1, 2 * sizeof *frame.stride);
    int64_t before_ns = cli_clock_ns();
    for (int64_t i = 0; i < frames->shape[0]; i++) {
        frame.data = (char *)frames->data + i * frames->stride[0];
        sac_status st = sac_meltpool_run(job->plan, &job->records[i], &frame,
                                         job->signals ? &job->signals[i] : NULL, err);
        if (st != SAC_OK) {
            return st;
        }
        *done = i + 1;
        int64_t now_ns = cli_clock_ns();
        if (!(job->records[i].flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED))) {
            sac_histogram_record(job->times, now_ns - before_ns);
        }
        before_ns = now_ns;
    }
    return SAC_OK;
}

/* Batch by batch; a batch's time is shared by its frames. */
static sac_status run_batches(cli_meltpool_job *job, const sac_array *frames, int64_t *done,
                              sac_error *err)
{
    sac_array batch = *frames;
    for (int64_t i = 0; i < frames->shape[0]; i += batch.shape[0]) {
        int64_t left = frames->shape[0] - i, start_ns = cli_clock_ns();
        batch.shape[0] = left < job->n_batch ? left : job->n_batch;
        batch.data = (char *)frames->data + i * frames->stride[0];
        sac_status st = sac_meltpool_run_batch(job->plan, job->records + i, &batch,
                                               job->signals ? job->signals + i : NULL, err);
        if (st != SAC_OK) {
            return st;
        }
        *done = i + batch.shape[0];
        sac_histogram_record(job->times, (cli_clock_ns() - start_ns) / batch.shape[0]);
    }
    return SAC_OK;
}

sac_status cli_meltpool_fail(const cli_meltpool_job *job, sac_status status, int64_t first,
                             sac_error *err)
{
    err->status = status;
    if (status == SAC_E_DEVICE) {
        snprintf(err->text, sizeof err->text, "frame %lld: cuda:%d: %s (--timeout %g)",
                 (long long)first, job->desc.device.index, sac_meltpool_get_fault(job->plan),
                 job->desc.timeout_s);
    } else {
        char why[sizeof err->text];
        snprintf(why, sizeof why, "%s", err->text);
        snprintf(err->text, sizeof err->text, "frame %lld: %.200s", (long long)first, why);
    }
    return status;
}

/* n frames in memory, the file's from `first` on. */
static sac_status run_frames(cli_meltpool_job *job, int64_t first, int64_t n, sac_error *err)
{
    const int64_t shape[] = {n, job->info->h, job->info->w};
    sac_array frames;
    int64_t done = 0;
    sac_status st = sac_array_view(&frames, job->frames, SAC_U8, 3, shape, err);
    if (st != SAC_OK) {
        return st;
    }
    int64_t start_ns = cli_clock_ns();
    st = job->one_by_one ? run_each(job, &frames, &done, err)
                         : run_batches(job, &frames, &done, err);
    job->run_ns += cli_clock_ns() - start_ns;
    job->gpu_failed = st == SAC_E_DEVICE;
    return st == SAC_OK ? st : cli_meltpool_fail(job, st, first + done, err);
}

/* What the predictions are beside the truth. */
static void add_sums(cli_meltpool_job *job, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const sac_meltpool_record *r = &job->records[i];
        if (r->flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED)) {
            continue;
        }
        for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS; k++) {
            cli_meltpool_sums *s = &job->sums[k];
            double p = (double)r->prediction[k];
            double t = !job->truth ? 0
                       : k == 0    ? (double)job->truth[i].lof_density
                                   : (double)job->truth[i].keyhole_density;
            s->prediction += p;
            s->truth += t;
            s->truth_2 += t * t;
            s->error_2 += (p - t) * (p - t);
        }
    }
}

static sac_status write_batch(cli_meltpool_job *job, int64_t n, sac_error *err)
{
    int64_t start_ns = cli_clock_ns();
    sac_status st = SAC_OK;
    if (job->out) {
        st = sac_records_append(job->out, job->records, job->truth, n, err);
    }
    if (job->plot) {
        cli_meltpool_plot_add(job->plot, job->records, job->truth, n);
    }
    job->write_ns += cli_clock_ns() - start_ns;
    return st;
}

sac_status cli_meltpool_step(cli_meltpool_job *job, int64_t first, int64_t *n, sac_error *err)
{
    const int64_t left = job->info->n_frames - first;
    *n = left < job->n_read ? left : job->n_read;
    int64_t start_ns = cli_clock_ns();
    sac_status st = sac_frames_read(job->in, job->frames, job->signals, job->truth, first, *n, err);
    job->read_ns += cli_clock_ns() - start_ns;
    st = st ? st : run_frames(job, first, *n, err);
    if (st == SAC_OK) {
        add_sums(job, *n);
        st = write_batch(job, *n, err);
    }
    return st;
}

static int all_frames(cli_meltpool_job *job)
{
    sac_error err = {0};
    sac_status st = SAC_OK;
    cli_progress progress;
    cli_progress_open(&progress, "frames");
    for (int64_t first = 0, n; first < job->info->n_frames && st == SAC_OK; first += n) {
        st = cli_meltpool_step(job, first, &n, &err);
        cli_progress_step(&progress, (uint64_t)(first + n), (uint64_t)job->info->n_frames);
    }
    cli_progress_hide(&progress);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

/* A laser that is never near the frames is a wrong calibration, not a result. */
static int check_counts(cli_meltpool_job *job)
{
    job->counts.struct_size = sizeof job->counts;
    sac_meltpool_get_counts(job->plan, &job->counts);
    const sac_meltpool_counts c = job->counts;
    if (c.refused_place > 0 && c.processed == 0) {
        return cli_fail("`%s`: the laser is far beyond all %lld frames where it is on: expected a "
                        "calibration from its x and y to pixels (--calibration)",
                        job->input, (long long)c.refused_place);
    }
    return CLI_DONE;
}

/* The records first: a picture is not left without them. */
static int finish(cli_meltpool_job *job)
{
    sac_error err = {0};
    sac_status st = SAC_OK;
    if (job->out) {
        int64_t start_ns = cli_clock_ns();
        st = sac_records_commit(&job->out, &err);
        job->write_ns += cli_clock_ns() - start_ns;
    }
    if (st == SAC_OK && job->plot) {
        st = cli_meltpool_plot_write(job->plot, job->options.plot, &err);
    }
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

int cli_meltpool_work(cli_meltpool_job *job)
{
    int status = cli_meltpool_open_job(job);
    status = status ? status : all_frames(job);
    status = status ? status : check_counts(job);
    return status ? status : finish(job);
}

void cli_meltpool_close(cli_meltpool_job *job)
{
    sac_records_abort(&job->out);
    cli_meltpool_plot_close(&job->plot);
    if (!job->gpu_failed) { /* else it ends with the process: closing may wait for the GPU */
        sac_meltpool_close(&job->plan);
    }
    sac_histogram_close(&job->times);
    sac_meltpool_model_close(&job->model);
    sac_frames_close(&job->in);
    cli_meltpool_free(job, job->frames);
    free(job->chosen);
    free(job->signals);
    free(job->truth);
    free(job->records);
}

int cli_meltpool_run(cli_meltpool_job *job)
{
    const cli_meltpool_options *o = &job->options;
    int status = cli_meltpool_work(job);
    if (status == CLI_DONE && o->json) {
        status = cli_meltpool_json(job);
    }
    if (status == CLI_DONE && !cli_is_dash(o->output) && !cli_is_dash(o->json) &&
        !cli_is_dash(o->plot)) {
        cli_meltpool_print(job);
    } else if (status == CLI_DONE) {
        cli_meltpool_warn(job);
    }
    cli_meltpool_close(job);
    return status;
}
