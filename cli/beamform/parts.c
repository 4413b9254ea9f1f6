/*
 * saccade beamform of many frames: parts of some frames, which one device or several take in turn.
 * Each worker reads its part, beamforms it and writes it at its place in the file.
 *
 * A part's frames do not depend on who makes it: parts are cut by the sizes of frames alone, and
 * the last one is filled up with zeros, so that each is the same work for the same kernels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <saccade/batch.h>

#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "tables.h"
#include "videos.h"

#define MOST_FRAMES 32
#define PART_BYTES 256e6      /* of samples and image, as far as that is more than one frame */
#define PART_BYTES_GPU 2048e6 /* large parts are what a GPU is fast with */

typedef struct parts {
    cli_beamform_job *job;
    const sac_recording *first; /* its first frame alone, for what is known of all */
    int64_t first_frame, n_frames, n_part;
    sac_array image; /* all frames: its shape, without memory */
    sac_image_parts *writer;
    cli_progress progress;
    _Atomic int64_t read_ns, write_ns, n_done;
    _Atomic bool is_lit; /* a frame shows something */
} parts;

typedef struct worker {
    sac_beamform *plan;
    sac_array image;
    void *filled; /* samples of the last part, and zeros; NULL until there is one */
} worker;

static bool has_ending(const char *path, const char *const *endings)
{
    const size_t length = strlen(path);
    for (; *endings; endings++) {
        const size_t n = strlen(*endings);
        if (length > n && strcasecmp(path + length - n, *endings) == 0) {
            return true;
        }
    }
    return false;
}

bool cli_beamform_has_places(const char *path)
{
    static const char *const endings[] = {".h5", ".hdf5", ".npy", NULL};
    return has_ending(path, endings);
}

bool cli_beamform_may_be_in_parts(const cli_beamform_job *job)
{
    /* The other formats are read as a whole, however few frames are asked for. */
    static const char *const endings[] = {".h5", ".hdf5", ".npy", ".uff", NULL};
    const bool is_shared = job->desc.device.kind == SAC_DEVICE_CUDA_SET;
    return !job->options.delays && !job->take && job->output &&
           cli_beamform_has_places(job->output) &&
           (is_shared || job->options.resume || has_ending(job->input, endings));
}

static int64_t bytes_of(const sac_array *frame)
{
    return sac_array_count(frame) * (int64_t)sac_dtype_size(frame->dtype);
}

/* Frames of a part, from the bytes of one. */
static int64_t part_frames(const parts *p, int64_t frame_bytes)
{
    const bool is_gpu = p->job->desc.device.kind != SAC_DEVICE_CPU;
    const double n = (is_gpu ? PART_BYTES_GPU : PART_BYTES) / (double)frame_bytes;
    const int64_t most = p->n_frames < MOST_FRAMES ? p->n_frames : MOST_FRAMES;
    return n < 1 ? 1 : n < (double)most ? (int64_t)n : most;
}

static sac_status open_worker(void *ctx, void **state, sac_device device, sac_error *err)
{
    const parts *p = ctx;
    worker *w = calloc(1, sizeof *w);
    if (!w) {
        err->status = SAC_E_NOMEM;
        return SAC_E_NOMEM;
    }
    sac_beamform_desc desc = p->job->desc;
    desc.device = device;
    desc.n_frames = p->n_part;
    desc.progress = NULL;
    sac_status st = sac_beamform_open(&w->plan, &desc, err);
    if (st == SAC_OK) {
        w->image = sac_beamform_get_output_array(w->plan);
        if (!cli_beamform_image_memory(&w->image)) {
            snprintf(err->text, sizeof err->text, "no memory for an image of %" PRId64 " values",
                     sac_array_count(&w->image));
            st = SAC_E_NOMEM;
        }
    }
    *state = w;
    return st;
}

static void close_worker(void *ctx, void *state)
{
    worker *w = state;
    (void)ctx;
    sac_beamform_close(&w->plan);
    free(w->image.data);
    free(w->filled);
    free(w);
}

static bool is_wanted(void *ctx, const sac_batch_part *part)
{
    const parts *p = ctx;
    return !sac_image_parts_has(p->writer, part->index);
}

/* The last part's samples, and zeros behind them. */
static sac_status fill_up(const parts *p, worker *w, sac_array *in, sac_error *err)
{
    const size_t bytes = (size_t)bytes_of(in);
    const size_t all = bytes / (size_t)in->shape[0] * (size_t)p->n_part;
    w->filled = w->filled ? w->filled : malloc(all);
    if (!w->filled) {
        snprintf(err->text, sizeof err->text, "no memory for %" PRId64 " frames", p->n_part);
        return SAC_E_NOMEM;
    }
    memcpy(w->filled, in->data, bytes);
    memset((char *)w->filled + bytes, 0, all - bytes);
    in->data = w->filled;
    in->shape[0] = p->n_part;
    return SAC_OK;
}

static sac_status read_part(const parts *p, sac_recording **recording, const sac_batch_part *part,
                            sac_error *err)
{
    char where[CLI_SAMPLE_TEXT];
    sac_recording_desc desc = p->job->recording_desc;
    desc.first_frame = p->first_frame + part->first;
    desc.n_frames = part->n;
    const sac_status st = sac_recording_read(recording, p->job->input, &desc, err);
    if (st != SAC_OK) {
        return st;
    }
    const sac_array in = sac_recording_get_array(*recording);
    if (cli_recording_bad_sample(where, &in) < 0) {
        return SAC_OK;
    }
    snprintf(err->text, sizeof err->text, "`%s`: frames from %" PRId64 " on: samples: %s",
             p->job->input, desc.first_frame, where);
    return SAC_E_FORMAT;
}

static sac_status work(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    parts *p = ctx;
    worker *w = state;
    sac_recording *recording = NULL;
    const int64_t start_ns = cli_clock_ns();
    sac_status st = read_part(p, &recording, part, err);
    atomic_fetch_add(&p->read_ns, cli_clock_ns() - start_ns);
    if (st == SAC_OK) {
        sac_array in = sac_recording_get_array(recording);
        st = part->n < p->n_part ? fill_up(p, w, &in, err) : SAC_OK;
        st = st ? st : sac_beamform_run(w->plan, &w->image, &in, err);
    }
    sac_recording_close(&recording);
    return st;
}

static sac_status done(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    parts *p = ctx;
    worker *w = state;
    sac_array image = w->image;
    image.shape[0] = part->n;
    if (!atomic_load(&p->is_lit) && !cli_beamform_is_dark(p->job, &image)) {
        atomic_store(&p->is_lit, true);
    }
    const int64_t start_ns = cli_clock_ns();
    const sac_status st = sac_image_parts_write(p->writer, part->index, &image, err);
    atomic_fetch_add(&p->write_ns, cli_clock_ns() - start_ns);
    if (st != SAC_OK) {
        return st;
    }
    const int64_t n = atomic_fetch_add(&p->n_done, part->n) + part->n;
    cli_progress_step(&p->progress, (uint64_t)n, (uint64_t)p->n_frames);
    return cli_interrupted() ? SAC_CANCELLED : SAC_OK;
}

static void lost(void *ctx, sac_device device, const sac_error *why)
{
    parts *p = ctx;
    char text[32];
    cli_progress_hide(&p->progress);
    cli_warn("%s failed (%s): the others do its frames", sac_device_text(device, text, sizeof text),
             why->text);
}

/* What an image is made of, and how: who goes on with it must do the same. The size and time of the
 * input stand for what is in it. */
static char *describe_work(const parts *p)
{
    char *text = NULL;
    size_t size = 0;
    struct stat input = {0};
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        return NULL;
    }
    if (stat(p->job->input, &input) != 0) {
        input.st_size = -1;
    }
    fprintf(file, "%s: %" PRId64 " bytes of %" PRId64 ".%09ld, frames %" PRId64 " to %" PRId64 "\n",
            p->job->input, (int64_t)input.st_size, (int64_t)input.st_mtim.tv_sec,
            input.st_mtim.tv_nsec, p->first_frame, p->first_frame + p->n_frames - 1);
    const sac_param_table *table = sac_beamform_params();
    for (int32_t i = 0; i < table->n_params; i++) {
        char value[256];
        const char *name = table->params[i].name;
        if (strcmp(name, "threads") != 0 && strcmp(name, "memory") != 0) {
            sac_param_get(&table->params[i], &p->job->desc, value, sizeof value);
            fprintf(file, "%s %s\n", name, value);
        }
    }
    const sac_grid *grid = &p->job->desc.grid, *shown = &p->job->desc.picture;
    const sac_sector *sector = &p->job->desc.sector;
    for (int i = 0; i < 3; i++) {
        fprintf(file, "grid %.17g %.17g %" PRId64 ", %.17g %.17g %" PRId64 ", %.17g\n",
                grid->first_m[i], grid->last_m[i], grid->n[i], shown->first_m[i], shown->last_m[i],
                shown->n[i], sector->apex_m[i]);
    }
    fprintf(file, "radius %.17g\n", sector->radius_m);
    const cli_recording_options *r = &p->job->options.recording;
    const char *const given[] = {r->transmits, r->fs, r->fc,    r->fd,
                                 r->c,         r->t0, r->pitch, r->bandwidth};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        fprintf(file, "%s;", given[i] ? given[i] : "");
    }
    if (fclose(file) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static sac_status open_writer(parts *p, const sac_beamform *plan, sac_error *err)
{
    const sac_image_info info = cli_beamform_info(p->job, p->first);
    char *text = describe_work(p);
    if (!text) {
        snprintf(err->text, sizeof err->text, "no memory");
        return SAC_E_NOMEM;
    }
    p->image = sac_beamform_get_output_array(plan);
    p->image.shape[0] = p->n_frames;
    sac_image_parts_desc desc;
    sac_image_parts_desc_init(&desc);
    desc.path = p->job->output, desc.image = &p->image, desc.info = &info;
    desc.n_part_frames = p->n_part, desc.work = text, desc.resume = p->job->options.resume;
    const sac_status st = sac_image_parts_open(&p->writer, &desc, err);
    free(text);
    return st;
}

/* What is left of a run that did not come to its end. */
static int tell_rest(const parts *p, sac_status st, const sac_error *err)
{
    const int64_t n = atomic_load(&p->n_done);
    char why[sizeof err->text];
    if (st == SAC_CANCELLED) {
        snprintf(why, sizeof why, "`%s`: interrupted", p->job->input);
    } else {
        memcpy(why, err->text, sizeof why);
    }
    return n == 0 ? cli_fail("%s", why)
                  : cli_fail("%s; %" PRId64 " of %" PRId64
                             " frames are done, and the same command with --resume goes on",
                             why, n, p->n_frames);
}

static int report(const parts *p, const sac_beamform *plan, const cli_beamform_times *t)
{
    const cli_beamform_job *job = p->job;
    sac_array in = sac_recording_get_array(p->first);
    in.shape[0] = p->n_frames;
    if (!atomic_load(&p->is_lit)) {
        cli_warn("`%s`: the image is dark: all of its points are 0", job->input);
    }
    const int status = job->options.json ? cli_beamform_put_row(job, plan, &in, t) : CLI_DONE;
    if (status == CLI_DONE && !cli_is_dash(job->options.json)) {
        cli_beamform_print_summary(job, &p->image, t);
    }
    return status;
}

/* With the workers there: their plans say what comes out. */
static int run_batch(parts *p, sac_batch *batch, const sac_beamform *plan, cli_beamform_times *t)
{
    sac_error err = {0};
    const int64_t start_ns = cli_clock_ns();
    sac_status st = open_writer(p, plan, &err);
    if (st == SAC_END) {
        cli_note("`%s`: is whole already", p->job->output);
        return CLI_DONE;
    }
    if (st != SAC_OK) {
        return cli_error(&err);
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
    st = sac_batch_run(batch, &err);
    cli_progress_hide(&p->progress);
    if (st != SAC_OK) {
        return tell_rest(p, st, &err);
    }
    t->run_ns = cli_clock_ns() - start_ns;
    t->read_ns += atomic_load(&p->read_ns);
    t->write_ns = atomic_load(&p->write_ns);
    st = sac_image_parts_commit(&p->writer, &err);
    return st == SAC_OK ? report(p, plan, t) : cli_error(&err);
}

static int share(parts *p, cli_beamform_times *t)
{
    sac_batch_desc desc;
    sac_batch *batch = NULL;
    sac_beamform *plan = NULL; /* tells of points; no frame is worked on here */
    sac_error err = {0};
    sac_batch_desc_init(&desc);
    desc.device = p->job->desc.device;
    desc.n_items = p->n_frames, desc.n_part_items = p->n_part, desc.ctx = p;
    desc.open = open_worker, desc.is_wanted = is_wanted, desc.work = work;
    desc.done = done, desc.lost = lost, desc.close = close_worker;
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
    t->open_ns = cli_clock_ns() - start_ns;
    const int status = st == SAC_OK ? run_batch(p, batch, plan, t) : cli_error(&err);
    sac_batch_close(&batch);
    sac_image_parts_close(&p->writer);
    sac_beamform_close(&plan);
    return status;
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
    job->desc.acquisition = sac_recording_get_acquisition(p->first);
    job->desc.dtype = in.dtype;
    job->desc.n_samples = in.shape[3];
    const bool is_asked = job->options.resume || job->desc.device.kind == SAC_DEVICE_CUDA_SET;
    if (cli_beamform_choose_grid(job, in.shape[3], &err) != SAC_OK) {
        return cli_error(&err);
    }
    const sac_grid *grid = &job->desc.grid;
    const int64_t points = grid->n[0] * grid->n[1] * grid->n[2] * (job->desc.lri ? in.shape[1] : 1);
    p->n_part = part_frames(p, bytes_of(&in) + 8 * points);
    if (!is_asked && p->n_frames <= p->n_part) {
        return CLI_GO;
    }
    in.shape[0] = p->n_part;
    return cli_beamform_size(job, &in);
}

int cli_beamform_run_in_parts(cli_beamform_job *job)
{
    parts p = {.job = job};
    sac_recording *first = NULL;
    cli_beamform_times t = {0};
    sac_recording_desc desc = job->recording_desc;
    desc.n_frames = 1;
    const int64_t start_ns = cli_clock_ns();
    int status = cli_recording_read(&first, job->input, &desc);
    if (status != CLI_DONE) {
        return status;
    }
    t.read_ns = cli_clock_ns() - start_ns;
    p.first = first;
    cli_progress_open(&p.progress, "frames");
    const sac_beamform_desc given = job->desc;
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
