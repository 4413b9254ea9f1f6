/*
 * Pictures of one type and shape that follow each other are read ahead and equalized in one batch:
 * a GPU then copies one while it works on another. One that does not go on like that, of another
 * shape or bad, first ends the batch.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "files.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <saccade/io.h>
#include <saccade/measure.h>

#include "outputs.h"
#include "pictures.h"
#include "progress.h"
#include "ranks/ranks.h"
#include "share.h"
#include "tables.h"

/* What waits in memory: enough that the first copy in and the last one back, which nothing runs
 * beside, count for little. */
#define MAX_PICTURES 16
#define MAX_BYTES ((int64_t)128 << 20)

/* A picture that was read and waits. */
typedef struct waiting {
    sac_picture *picture;
    sac_array whole;
    uint64_t *counts[2]; /* before and after; NULL where nobody asked */
    cli_equalize_row row;
} waiting;

/* The command at work. */
typedef struct files {
    cli_equalize_job *job;
    sac_equalize *plan; /* for pictures like the last one */
    waiting batch[MAX_PICTURES];
    sac_array views[MAX_PICTURES]; /* the batch's parts that are equalized */
    int32_t n;                     /* waiting */
    int64_t bytes;                 /* of their pictures */
    int done, worst;
    cli_equalize_sums sums;
    cli_progress progress;
} files;

/* A picture is through, one way or the other. */
static void settle(files *f, int status)
{
    f->worst = status > f->worst ? status : f->worst;
    f->done++;
    if (f->sums.total > 1) {
        cli_progress_step(&f->progress, (uint64_t)f->done, (uint64_t)f->sums.total);
    }
}

static void close_waiting(waiting *w)
{
    free(w->counts[0]);
    free(w->counts[1]);
    sac_picture_close(&w->picture);
}

/* Counts V as the plan does; NULL where nobody asked. */
static int count(uint64_t **counts, const files *f, const sac_array *view)
{
    sac_error err = {0};
    if (!f->job->lists && !f->job->plots) {
        return CLI_DONE;
    }
    int32_t bins = 0;
    sac_equalize_get_counts(f->plan, &bins);
    *counts = cli_grow(NULL, 0, (size_t)bins, sizeof **counts);
    sac_status st = sac_measure_histogram(*counts, bins, view, SAC_INTERLEAVED, &err);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

static void report(files *f, waiting *w)
{
    cli_equalize_job *job = f->job;
    cli_equalize_row *row = &w->row;
    row->picture = &w->whole;
    row->region = job->roi;
    row->plan = f->plan;
    row->desc = &job->desc;
    row->hsv = job->by_hsv ? &job->hsv : NULL;
    row->counts[0] = w->counts[0];
    row->counts[1] = w->counts[1];
    sac_equalize_get_counts(f->plan, &row->bins);
    if (job->lists) {
        cli_equalize_stats(job->stats, row);
    }
    if (job->plots) {
        job->pairs = cli_grow(job->pairs, job->n_pairs, job->n_pairs + 1, sizeof *job->pairs);
        cli_plot_pair *pair = &job->pairs[job->n_pairs++];
        pair->name = cli_base_name(row->input);
        pair->color = job->desc.n_channels > 2;
        for (int side = 0; side < 2; side++) {
            cli_histogram_gather(&pair->side[side], row->counts[side], row->bins, job->desc.dtype);
        }
    }
}

/* Writes an equalized picture and tells of it. */
static int write_picture(files *f, waiting *w, const sac_array *view)
{
    sac_error err = {0};
    int status = count(&w->counts[1], f, view);
    if (status) {
        return status;
    }
    int64_t start_ns = cli_clock_ns();
    sac_picture_write_desc desc;
    sac_picture_write_desc_init(&desc);
    desc.format = f->job->format;
    desc.quality = f->job->quality;
    if (sac_picture_write_with(w->picture, w->row.output, &desc, &err) != SAC_OK) {
        return cli_fail("%s", err.text);
    }
    w->row.write_ns = cli_clock_ns() - start_ns;
    f->sums.n_written++;
    f->sums.output = w->row.output;
    f->sums.read_ns += w->row.read_ns;
    f->sums.equalize_ns += w->row.equalize_ns;
    f->sums.write_ns += w->row.write_ns;
    cli_shape_text(f->sums.shape, sizeof f->sums.shape, &w->whole);
    report(f, w);
    return CLI_DONE;
}

/* Equalizes what waits; *ns is the time that it took. */
static sac_status equalize(files *f, int64_t *ns, sac_error *err)
{
    const int64_t start_ns = cli_clock_ns();
    sac_status st = SAC_OK;
    *ns = 0;
    for (int32_t i = 0; f->job->by_hsv && i < f->n && st == SAC_OK; i++) {
        double steps_ns = 0;
        st = sac_ladder_hsv_run(&steps_ns, &f->job->hsv, &f->views[i], &f->views[i], err);
        *ns += (int64_t)steps_ns;
    }
    if (!f->job->by_hsv) {
        st = sac_equalize_run_batch(f->plan, f->views, f->views, f->n, err);
        *ns = cli_clock_ns() - start_ns;
    }
    return st;
}

/* Equalizes and writes what waits. */
static void flush(files *f)
{
    if (f->n == 0) {
        return;
    }
    sac_error err = {0};
    int64_t ns = 0;
    sac_status st = equalize(f, &ns, &err);
    cli_hear_error(&err);
    for (int32_t i = 0; i < f->n; i++) {
        waiting *w = &f->batch[i];
        w->row.equalize_ns = ns / f->n;
        w->row.batch = f->n;
        int status = st == SAC_OK ? write_picture(f, w, &f->views[i])
                                  : cli_fail("`%s`: equalize: %s", w->row.input, err.text);
        close_waiting(w);
        settle(f, status);
    }
    f->n = 0;
    f->bytes = 0;
}

/* The part of a picture that is equalized; SAC_E_SHAPE where the region does not fit. */
static sac_status view_region(sac_array *view, const sac_array *whole, const cli_equalize_job *job)
{
    sac_array rows;
    *view = *whole;
    if (!job->roi) {
        return SAC_OK;
    }
    sac_status st = sac_array_range(&rows, whole, 0, job->y, job->h, NULL);
    return st == SAC_OK ? sac_array_range(view, &rows, 1, job->x, job->w, NULL) : st;
}

static int32_t n_channels(const sac_array *view)
{
    return view->n_dims > 2 ? (int32_t)view->shape[2] : 1;
}

/* Whether the last picture's plan is this one's, too. */
static bool fits_plan(const files *f, const sac_array *view)
{
    const sac_equalize_desc *desc = &f->job->desc;
    return f->plan && desc->dtype == view->dtype && desc->w == view->shape[1] &&
           desc->h == view->shape[0] && desc->n_channels == n_channels(view);
}

static int open_plan(files *f, const sac_array *view, const char *input)
{
    sac_error err = {0};
    sac_equalize_desc *desc = &f->job->desc;
    desc->dtype = view->dtype;
    desc->w = view->shape[1];
    desc->h = view->shape[0];
    desc->n_channels = n_channels(view);
    sac_equalize_close(&f->plan);
    sac_status st = sac_equalize_open(&f->plan, desc, &err);
    cli_hear_error(&err);
    return st == SAC_OK ? CLI_DONE : cli_fail("`%s`: %s", input, err.text);
}

/* Takes a picture that was read into the batch; what waits there and is unlike it goes first. */
static int join(files *f, waiting *w)
{
    sac_array view;
    w->whole = sac_picture_get_array(w->picture);
    sac_status st = view_region(&view, &w->whole, f->job);
    int64_t bytes = sac_array_count(&w->whole) * (int64_t)sac_dtype_size(w->whole.dtype);
    bool joins = st == SAC_OK && fits_plan(f, &view);
    if (!joins || f->n == MAX_PICTURES || f->bytes + bytes > MAX_BYTES) {
        flush(f);
    }
    if (st != SAC_OK) {
        return cli_fail("`%s`: region %s does not fit in %" PRId64 "x%" PRId64 " pixels",
                        w->row.input, f->job->roi, w->whole.shape[1], w->whole.shape[0]);
    }
    int status = joins ? CLI_DONE : open_plan(f, &view, w->row.input);
    status = status ? status : count(&w->counts[0], f, &view);
    if (status == CLI_DONE) {
        f->views[f->n] = view;
        f->batch[f->n++] = *w;
        f->bytes += bytes;
    }
    return status;
}

static void read_picture(files *f, const char *input, const char *output)
{
    sac_error err = {0};
    waiting w = {.row = {.input = input, .output = output}};
    int64_t start_ns = cli_clock_ns();
    sac_status st = cli_picture_read(&w.picture, input, f->job->max_pixels, f->job->page, &err);
    w.row.read_ns = cli_clock_ns() - start_ns;
    if (st != SAC_OK) {
        flush(f);
        settle(f, cli_fail("%s", err.text));
        return;
    }
    int status = join(f, &w);
    if (status) {
        close_waiting(&w);
        settle(f, status);
    }
}

static void one_file(files *f, const char *input, const char *output)
{
    if (output) {
        read_picture(f, input, output);
    } else {
        settle(f, CLI_FAILED);
    }
}

static void in_turn(files *f, char **inputs, char **outputs)
{
    cli_progress_open(&f->progress, "pictures");
    if (f->sums.total > 1) {
        cli_progress_step(&f->progress, 0, (uint64_t)f->sums.total);
    }
    for (int i = 0; i < f->sums.total; i++) {
        if (cli_ranks_has(i)) {
            one_file(f, inputs[i], outputs[i]);
        }
    }
    flush(f);
    cli_progress_hide(&f->progress);
}

/* Pictures that several GPUs share, each by itself. */
typedef struct shared_files {
    files *all;
    char **inputs, **outputs;
    cli_plot_pair *pairs; /* (all->sums.total), where plots; without a name: there is none */
    pthread_mutex_t lock; /* of all's sums */
} shared_files;

typedef struct worker {
    files f;
    cli_equalize_job job;
} worker;

static int share_one(void *ctx, void **own, sac_device device, int i, cli_json *rows)
{
    shared_files *shared = ctx;
    worker *w = *own;
    if (!w) {
        *own = w = cli_grow(NULL, 0, 1, sizeof *w);
        w->job = *shared->all->job;
        w->job.desc.device = w->job.hsv.device = device;
        w->f.job = &w->job;
        w->f.sums.total = 1;
    }
    w->f.worst = CLI_DONE;
    w->job.stats = rows;
    w->job.n_pairs = 0;
    one_file(&w->f, shared->inputs[i], shared->outputs[i]);
    flush(&w->f);
    if (w->job.n_pairs > 0) {
        shared->pairs[i] = w->job.pairs[0];
    }
    return w->f.worst;
}

static void share_close(void *ctx, void *own)
{
    shared_files *shared = ctx;
    worker *w = own;
    pthread_mutex_lock(&shared->lock);
    cli_equalize_add(&shared->all->sums, &w->f.sums);
    pthread_mutex_unlock(&shared->lock);
    sac_equalize_close(&w->f.plan);
    free(w->job.pairs);
    free(w);
}

static void on_gpus(files *f, char **inputs, char **outputs)
{
    cli_equalize_job *job = f->job;
    shared_files shared = {f, inputs, outputs, NULL, PTHREAD_MUTEX_INITIALIZER};
    const cli_share share = {.device = job->desc.device,
                             .n = f->sums.total,
                             .what = "pictures",
                             .json = job->lists ? job->stats : NULL,
                             .ctx = &shared,
                             .one = share_one,
                             .close = share_close};
    int n_left = 0;
    shared.pairs = cli_grow(NULL, 0, (size_t)f->sums.total, sizeof *shared.pairs);
    f->worst = cli_share_run(&share, &n_left);
    for (int i = 0; i < f->sums.total; i++) {
        if (shared.pairs[i].name) {
            shared.pairs[job->n_pairs++] = shared.pairs[i];
        }
    }
    job->pairs = shared.pairs;
}

int cli_equalize_files(cli_equalize_job *job, char **inputs, char **outputs, int n)
{
    files f = {.job = job, .sums = {.total = n, .start_ns = cli_clock_ns()}};
    if (job->desc.device.kind == SAC_DEVICE_CUDA_SET) {
        on_gpus(&f, inputs, outputs);
    } else {
        in_turn(&f, inputs, outputs);
    }
    if (cli_equalize_add_up(&f.sums, outputs[0]) && !job->is_quiet) {
        cli_equalize_summary(&f.sums);
    }
    sac_equalize_close(&f.plan);
    return f.worst;
}
