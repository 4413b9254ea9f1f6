/*
 * saccade beamform of many frames: parts of some frames, which one device or several take in turn.
 * Each worker reads its part, beamforms it and writes it at its place in the file.
 *
 * A part's frames do not depend on who makes it: parts are cut by the sizes of frames alone, and
 * the last one is filled up with zeros, so that each is the same work for the same kernels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "outputs.h"
#include "ranks/ranks.h"
#include "videos.h"

typedef cli_beamform_parts parts;

#define MOST_FRAMES 32
#define PART_BYTES 256e6      /* of samples and image, as far as that is more than one frame */
#define MEMORY_SHARE 0.125    /* of a GPU's, that each of its two workers takes at most */
#define PART_BYTES_GPU 2048e6 /* large parts are what a GPU is fast with */

bool cli_beamform_has_places(const char *path)
{
    static const char *const endings[] = {".h5", ".hdf5", ".npy", NULL};
    return cli_ends_in(path, endings);
}

bool cli_beamform_is_tiff(const char *path)
{
    static const char *const endings[] = {".tif", ".tiff", NULL};
    return cli_ends_in(path, endings);
}

bool cli_beamform_is_uff(const char *path)
{
    return cli_ends_in(path, (const char *[]){".uff", NULL});
}

bool cli_beamform_may_be_in_parts(const cli_beamform_job *job)
{
    /* The other formats are read as a whole, however few frames are asked for. */
    static const char *const endings[] = {".h5", ".hdf5", ".npy", ".uff", NULL};
    const bool is_shared = job->desc.device.kind == SAC_DEVICE_CUDA_SET;
    return !job->options.delays && !job->take && job->output &&
           cli_beamform_has_places(job->output) &&
           (is_shared || cli_ranks() > 1 || job->options.resume ||
            cli_ends_in(job->input, endings));
}

int64_t cli_beamform_parts_bytes(const sac_array *frames)
{
    return sac_array_count(frames) * (int64_t)sac_dtype_size(frames->dtype);
}

sac_status cli_beamform_parts_no_memory(sac_error *err, const char *what, ...)
{
    va_list args;
    va_start(args, what);
    const int n = snprintf(err->text, sizeof err->text, "no memory for ");
    vsnprintf(err->text + n, sizeof err->text - (size_t)n, what, args);
    va_end(args);
    err->status = SAC_E_NOMEM;
    return err->status;
}

/* Frames of a part, from the bytes of one. */
static int64_t part_frames(const parts *p, double frame_bytes)
{
    const bool is_gpu = p->job->desc.device.kind != SAC_DEVICE_CPU;
    const double n = (is_gpu ? PART_BYTES_GPU : PART_BYTES) / frame_bytes;
    const int64_t most = p->n_frames < MOST_FRAMES ? p->n_frames : MOST_FRAMES;
    return n < 1 ? 1 : n < (double)most ? (int64_t)n : most;
}

static sac_status open_writer(parts *p, const sac_beamform *plan, bool join, sac_error *err)
{
    const sac_image_info info = cli_beamform_info(p->job, p->first);
    char *text = cli_beamform_parts_work(p);
    if (!text) {
        return cli_beamform_parts_no_memory(err, "the text of a run");
    }
    p->image = sac_beamform_get_output_array(plan);
    p->image.shape[0] = p->n_frames;
    sac_image_parts_desc desc;
    sac_image_parts_desc_init(&desc);
    desc.path = p->job->output, desc.image = &p->image, desc.info = &info;
    desc.n_part_frames = p->n_part, desc.work = text;
    desc.resume = p->job->options.resume, desc.join = join;
    const sac_status st = sac_image_parts_open(&p->writer, &desc, err);
    free(text);
    return st;
}

/* Rank 0 has begun it; what this process would make of it has to be the same. */
static int join_writer(parts *p, const sac_beamform *plan)
{
    sac_error err = {0};
    const sac_status st = open_writer(p, plan, true, &err);
    return st == SAC_OK ? CLI_DONE
           : st == SAC_E_INVALID
               ? cli_fail(
                     "`%s`: rank 0 writes it otherwise: this one sees another input or output, "
                     "or has another processor or GPU (%s)",
                     p->job->output, err.text)
               : cli_error(&err);
}

/* What is left of a run that did not come to its end, and why; n frames are done. */
static int tell_rest(const parts *p, sac_status st, const char *why, int64_t n)
{
    if (n > 0 && st == SAC_E_FORMAT) { /* it would come to the same frame again */
        return cli_fail("%s; %" PRId64 " of %" PRId64 " frames are done", why, n, p->n_frames);
    }
    return n == 0 ? cli_fail("%s", why)
                  : cli_fail("%s; %" PRId64 " of %" PRId64
                             " frames are done, and the same command with --resume goes on",
                             why, n, p->n_frames);
}

static int put_row(const parts *p, const sac_beamform *plan, const cli_beamform_times *t)
{
    sac_array in = sac_recording_get_array(p->first);
    in.shape[0] = p->n_frames;
    return p->job->options.json ? cli_beamform_put_row(p->job, plan, p->variant, &in, t) : CLI_DONE;
}

static int report(const parts *p, const sac_beamform *plan, const cli_beamform_times *t)
{
    const cli_beamform_job *job = p->job;
    if (!atomic_load(&p->is_lit)) {
        cli_warn("`%s`: the image is dark: all of its points are 0", job->input);
    }
    const int status = put_row(p, plan, t);
    if (status == CLI_DONE && !cli_is_dash(job->options.json)) {
        cli_beamform_print_summary(job, &p->image, t);
    }
    return status;
}

/* Rank 0 begins the image, or goes on with it, then the others join. CLI_GO: it is whole already.
 */
static int begin(parts *p, const sac_beamform *plan)
{
    sac_error err = {0};
    const bool is_first = cli_rank() == 0;
    const sac_status st = is_first ? open_writer(p, plan, false, &err) : SAC_OK;
    int64_t sums[] = {st == SAC_END, cli_beamform_parts_can_sum_on_gpus(p, plan)};
    int status = st == SAC_OK || st == SAC_END ? CLI_DONE : cli_error(&err);
    status = status ? status : cli_ranks_check_folder(p->job->output);
    status = cli_ranks_agree(cli_base_name(p->job->output), status, sums, 2);
    if (status || sums[0]) {
        return status ? status : CLI_GO;
    }
    p->sums_on_gpus = p->n_sharing > 0 && sums[1] == p->n_sharing;
    if (!is_first) {
        return join_writer(p, plan);
    }
    int64_t had = 0;
    const int64_t n_parts = sac_image_parts_get_count(p->writer, &had);
    const int64_t last = p->n_frames - (n_parts - 1) * p->n_part;
    atomic_store(&p->n_done,
                 had * p->n_part -
                     (sac_image_parts_has(p->writer, n_parts - 1) ? p->n_part - last : 0));
    if (had > 0) {
        cli_note("`%s`: %" PRId64 " of %" PRId64 " frames were done", p->job->output,
                 atomic_load(&p->n_done), p->n_frames);
    }
    atomic_store(&p->is_lit, had > 0);
    return CLI_DONE;
}

/* All have come to the end of their work. Of all: what is done, and how long it took. */
static int end(parts *p, sac_status st, const sac_error *err, cli_beamform_times *t)
{
    char *why = NULL;
    if (st == SAC_CANCELLED && (cli_interrupted() || !cli_ranks_stopped())) {
        why = cli_text("`%s`: interrupted", p->job->input);
    } else if (st != SAC_OK && st != SAC_CANCELLED) {
        why = cli_text("%s", err->text);
    }
    if (why && cli_rank() > 0) {
        cli_fail("%s", why);
    }
    int64_t sums[CLI_RANKS_SUMS] = {atomic_load(&p->n_done), atomic_load(&p->is_lit),
                                    atomic_load(&p->read_ns), atomic_load(&p->write_ns)};
    const int status = cli_ranks_agree(cli_base_name(p->job->output),
                                       st == SAC_OK ? CLI_DONE : CLI_FAILED, sums, CLI_RANKS_SUMS);
    if (status && cli_rank() == 0) {
        tell_rest(p, st, why ? why : cli_ranks_why(), sums[0]);
    }
    free(why);
    atomic_store(&p->is_lit, sums[1] > 0);
    t->read_ns += sums[2];
    t->write_ns = sums[3];
    return status;
}

/* With the workers there: their plans say what comes out. */
static int run_batch(parts *p, sac_batch *batch, const sac_beamform *plan, cli_beamform_times *t)
{
    sac_error err = {0};
    const int64_t start_ns = cli_clock_ns();
    int status = begin(p, plan);
    if (status == CLI_GO) {
        cli_note("`%s`: is whole already", p->job->output);
        return cli_rank() == 0 ? put_row(p, plan, t) : CLI_DONE;
    }
    if (status) {
        return status;
    }
    sac_status st = sac_batch_run(batch, &err);
    cli_progress_hide(&p->progress);
    status = end(p, st, &err, t);
    if (status || cli_rank() > 0) {
        return status;
    }
    t->run_ns = cli_clock_ns() - start_ns;
    st = sac_image_parts_commit(&p->writer, &err);
    return st == SAC_OK ? report(p, plan, t) : cli_error(&err);
}

/* One number for all workers, from what GPUs have, not from what is free: frames that are done
 * together, and with them the kernels, are the same whoever works, and whenever. */
static int32_t memory_mb(const sac_beamform_desc *desc)
{
    sac_device each[SAC_MAX_DEVICES];
    int32_t n = 0;
    double least = INFINITY;
    if (desc->memory_mb || desc->device.kind == SAC_DEVICE_CPU ||
        sac_device_list(each, &n, desc->device, NULL) != SAC_OK) {
        return desc->memory_mb;
    }
    for (int32_t i = 0; i < n; i++) {
        sac_gpu_info gpu = {.struct_size = sizeof gpu};
        if (sac_gpu_describe(&gpu, each[i].index, NULL) == SAC_OK) {
            least = fmin(least, (double)gpu.memory_bytes);
        }
    }
    return isfinite(least) ? (int32_t)fmax(1, 1e-6 * MEMORY_SHARE * least) : 0;
}

static int share(parts *p, cli_beamform_times *t)
{
    sac_batch_desc desc;
    sac_batch *batch = NULL;
    sac_beamform *plan = NULL; /* tells of points; no frame is worked on here */
    sac_error err = {0};
    sac_batch_desc_init(&desc);
    desc.device = cli_ranks_device(p->job->desc.device);
    desc.n_items = p->n_frames, desc.n_part_items = p->n_part;
    cli_beamform_parts_share_transmits(p, (p->n_frames - 1) / p->n_part + 1);
    if (cli_rank() >= p->n_sharing) { /* else all of these do every part */
        desc.rank = cli_rank(), desc.n_ranks = cli_ranks();
    }
    cli_beamform_parts_workers(&desc, p);
    p->memory_mb = memory_mb(&p->job->desc);
    sac_beamform_desc one = p->job->desc;
    one.device = (sac_device){SAC_DEVICE_CPU, 0};
    one.n_threads = 1, one.n_frames = 1, one.progress = NULL;
    const int64_t start_ns = cli_clock_ns();
    sac_status st = sac_beamform_open(&plan, &one, &err);
    if (st == SAC_OK &&
        cli_beamform_check_heard(plan, p->job, sac_recording_get_array(p->first).shape[3])) {
        sac_beamform_close(&plan);
        return CLI_FAILED;
    }
    st = st ? st : sac_batch_open(&batch, &desc, &err);
    if (st == SAC_OK && p->n_sharing > 0 && desc.device.kind == SAC_DEVICE_CPU) {
        free(p->variant); /* of the whole way to the image: who goes on may share frames */
        p->variant = cli_text("%s", sac_beamform_get_variant(plan));
    }
    t->open_ns = cli_clock_ns() - start_ns;
    const int status = st == SAC_OK ? run_batch(p, batch, plan, t) : cli_error(&err);
    sac_batch_close(&batch);
    sac_image_parts_close(&p->writer);
    free(p->variant);
    free(p->sum.data);
    sac_beamform_close(&plan);
    return status;
}

/* All that are asked for, as the reader would refuse them where they are read at once. */
static int check_frames(const parts *p)
{
    sac_error err = {.status = SAC_E_INVALID};
    const int64_t there = sac_recording_get_file_frames(p->first);
    if (p->n_frames <= there - p->first_frame) {
        return CLI_DONE;
    }
    snprintf(err.text, sizeof err.text,
             "`%s`: frames: %" PRId64 " from number %" PRId64
             " on are asked for, and it has %" PRId64,
             p->job->input, p->n_frames, p->first_frame, there);
    return cli_error(&err);
}

/* The frames that are asked for, and how they are cut. CLI_GO: too few to be cut. */
static int cut(parts *p)
{
    cli_beamform_job *job = p->job;
    sac_error err = {0};
    sac_array in = sac_recording_get_array(p->first);
    const sac_recording_desc *r = &job->recording_desc;
    p->first_frame = r->first_frame;
    p->n_frames =
        r->n_frames ? r->n_frames : sac_recording_get_file_frames(p->first) - r->first_frame;
    if (check_frames(p) != CLI_DONE) {
        return CLI_USAGE;
    }
    job->desc.acquisition = sac_recording_get_acquisition(p->first);
    job->desc.dtype = in.dtype;
    job->desc.n_samples = in.shape[3];
    const bool is_asked =
        job->options.resume || job->desc.device.kind == SAC_DEVICE_CUDA_SET || cli_ranks() > 1;
    if (cli_beamform_choose_grid(job, in.shape[3], &err) != SAC_OK) {
        return cli_error(&err);
    }
    const sac_grid *grid = &job->desc.grid;
    const double points = (double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2] *
                          (job->desc.lri ? (double)in.shape[1] : 1);
    p->n_part = part_frames(p, (double)cli_beamform_parts_bytes(&in) + 8 * points);
    if (!is_asked && p->n_frames <= p->n_part) {
        return CLI_GO;
    }
    in.shape[0] = p->n_part;
    return cli_beamform_size(job, &in, p->n_frames);
}

int cli_beamform_run_in_parts(cli_beamform_job *job)
{
    parts p = {.job = job};
    sac_recording *first = NULL;
    cli_beamform_times t = {0};
    sac_recording_desc desc = job->recording_desc;
    desc.n_frames = 1;
    desc.no_samples = true;
    const int64_t start_ns = cli_clock_ns();
    int status = cli_recording_read(&first, job->input, &desc);
    if (status != CLI_DONE) {
        return status;
    }
    t.read_ns = cli_clock_ns() - start_ns;
    p.first = first;
    cli_progress_open(&p.progress, "frames");
    const sac_beamform_desc given = job->desc;
    job->desc.n_threads = cli_ranks_threads(job->desc.n_threads);
    status = cut(&p);
    if (status == CLI_GO) {
        job->desc = given;
    } else if (status == CLI_DONE) {
        cli_catch_interrupts();
        status = share(&p, &t);
    }
    sac_recording_close(&first);
    return status;
}
