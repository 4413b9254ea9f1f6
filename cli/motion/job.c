/*
 * saccade heatmap, noise, denoise, adjust and equalize at work: a frame at a time, until the end or
 * Ctrl-C.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "source.h"
#include "tables.h"

const char *const cli_motion_chromas[] = {"auto",     "444",      "422", "420jpeg",
                                          "420mpeg2", "420paldv", NULL};

/* What a run holds beside the job. */
typedef struct work {
    cli_motion_job *job;
    cli_source source;
    sac_video_writer *writer; /* opened with the first frame: a bad input makes no output */
    sac_array current, previous, out;
    uint64_t n_frames;
    cli_json rows; /* a row a frame, where JSON is wanted and the kind has such rows */
    int64_t run_ns, count_ns, write_ns;
} work;

static int check(const cli_motion_job *job)
{
    const cli_motion_options *o = &job->options;
    if (!o->output) {
        return cli_misuse(job->kind->command, "no output given: -o OUT");
    }
    return cli_frame_outputs(job->kind->command, job->input, o->output, o->json);
}

static sac_status open_source(cli_motion_job *job, work *w, sac_error *err)
{
    const cli_motion_options *o = &job->options;
    sac_status st = cli_source_open(&w->source, job->input, o->size, o->format, err);
    if (st == SAC_OK) {
        job->in = w->source.info;
        job->out = job->in;
        job->out.format = cli_is_dash(o->output) && job->in.format == SAC_VIDEO_RAW
                              ? SAC_VIDEO_RAW
                              : SAC_VIDEO_AUTO;
        job->out.quality = o->quality;
    }
    return st ? st : cli_source_filter(&w->source, o->denoise, job->n_threads, job->device, err);
}

/* How OUT stores color, now that its pixel is known: Y4M as the options say, or as IN does. */
static void choose_chroma(cli_motion_job *job)
{
    if (job->out.pixel == SAC_PIXEL_GRAY) {
        job->out.chroma = SAC_CHROMA_MONO;
        job->out.full_range = true;
        job->out.planes = SAC_PLANES_PACKED;
    } else if (job->options.chroma) {
        job->out.chroma = (sac_video_chroma)(job->options.chroma - 1);
    } else if (job->in.chroma == SAC_CHROMA_MONO) { /* colors that IN has not: for players */
        job->out.chroma = SAC_CHROMA_420JPEG;
    }
}

static bool has_json(const cli_motion_job *job)
{
    return job->json || job->options.json;
}

static int open_all(cli_motion_job *job, work *w)
{
    sac_error err = {0};
    sac_status st = open_source(job, w, &err);
    st = st ? st : job->kind->open(job, &err);
    if (st != SAC_OK) {
        return cli_frame_error(&err, job->options.size, job->options.format);
    }
    choose_chroma(job);
    w->current = cli_frame_new(&job->in);
    w->previous = cli_frame_new(&job->in);
    w->out = cli_frame_new(&job->out);
    if (job->kind->count && has_json(job)) {
        cli_json_open_part(&w->rows);
    }
    return CLI_DONE;
}

static sac_status write_frame(const cli_motion_job *job, work *w, sac_error *err)
{
    sac_status st = SAC_OK;
    if (!w->writer) {
        st = sac_video_writer_open(&w->writer, job->options.output, &job->out, err);
    }
    return st ? st : sac_video_write(w->writer, &w->out, err);
}

/* What changed, as a row of its own. */
static sac_status count_frame(const cli_motion_job *job, work *w, const sac_array *previous,
                              sac_error *err)
{
    if (!w->rows.file) {
        return SAC_OK;
    }
    cli_json_line(&w->rows);
    cli_json_string(&w->rows, "input", job->input);
    cli_json_uint(&w->rows, "frame", w->n_frames);
    sac_status st = job->kind->count(job, &w->rows, &w->current, previous, err);
    cli_json_end_line(&w->rows);
    return st;
}

/* The frame in w->current; the first is its own previous one. */
static sac_status one_frame(cli_motion_job *job, work *w, sac_error *err)
{
    int64_t start_ns = cli_clock_ns();
    const sac_array *previous = w->n_frames ? &w->previous : &w->current;
    sac_status st = job->kind->run(job, &w->out, &w->current, previous, err);
    start_ns = cli_frame_lap(&w->run_ns, start_ns);
    if (st != SAC_OK) {
        return st;
    }
    st = write_frame(job, w, err);
    start_ns = cli_frame_lap(&w->write_ns, start_ns);
    st = st ? st : count_frame(job, w, previous, err);
    cli_frame_lap(&w->count_ns, start_ns);
    sac_array swap = w->current;
    w->current = w->previous;
    w->previous = swap;
    w->n_frames += st == SAC_OK;
    return st;
}

static sac_status step(void *ctx, sac_error *err)
{
    work *w = ctx;
    const sac_status st = cli_source_read(&w->source, &w->current, err);
    return st ? st : one_frame(w->job, w, err);
}

static int all_frames(const cli_motion_job *job, work *w)
{
    sac_error err = {0};
    const sac_status st = cli_frame_each(step, w, &w->n_frames, &err);
    int status = st <= SAC_CANCELLED
                     ? CLI_DONE
                     : cli_frame_error(&err, job->options.size, job->options.format);
    const sac_status closed = sac_video_writer_close(&w->writer, &err);
    status = cli_or_error(status, closed, &err);
    if (status == CLI_DONE && w->n_frames == 0) {
        status = cli_fail("%s: no frame came", job->input);
    }
    return status;
}

static int write_json(const cli_motion_job *job, work *w)
{
    cli_json own;
    char shape[48];
    cli_json *json = cli_json_begin_row(&own, job->json, job->device);
    cli_json_string(json, "pipeline", job->kind->command->name);
    cli_json_string(json, "input", job->input);
    cli_json_string(json, "output", job->options.output);
    cli_json_string(json, "shape", cli_shape_text(shape, sizeof shape, &w->current));
    cli_json_uint(json, "frames", w->n_frames);
    cli_json_int(json, "threads", job->n_threads ? job->n_threads : sac_cpu_count());
    cli_json_string(json, "variant", job->kind->variant(job));
    if (job->kind->report) {
        job->kind->report(job, json);
    }
    if (job->options.denoise) {
        cli_json_string(json, "denoise", cli_source_filters[job->options.denoise]);
    }
    cli_json_int(json, "read_ns", w->source.read_ns);
    cli_json_int(json, "filter_ns", w->source.filter_ns);
    cli_json_int(json, "run_ns", w->run_ns);
    cli_json_int(json, "write_ns", w->write_ns);
    if (w->rows.file) {
        cli_json_int(json, "count_ns", w->count_ns);
    }
    return cli_json_end_row(&own, job->json, &w->rows, job->options.json);
}

static void print_summary(const cli_motion_job *job, const work *w)
{
    char run[16], read[16], write[16];
    double n = (double)w->n_frames;
    fprintf(cli_out(),
            "%s: %" PRIu64 " frame%s of %" PRId64 "x%" PRId64
            ": %s %s a frame, reading %s, writing %s\n",
            job->options.output, w->n_frames, cli_s((int64_t)w->n_frames), job->in.w, job->in.h,
            job->kind->command->name,
            cli_time_text(run, sizeof run, (double)(w->run_ns + w->source.filter_ns) / n),
            cli_time_text(read, sizeof read, (double)w->source.read_ns / n),
            cli_time_text(write, sizeof write, (double)w->write_ns / n));
}

int cli_motion_run(cli_motion_job *job)
{
    work w = {.job = job};
    int status = check(job);
    if (status) {
        return status;
    }
    cli_catch_interrupts();
    status = open_all(job, &w);
    status = status ? status : all_frames(job, &w);
    if (status == CLI_DONE && has_json(job)) {
        status = write_json(job, &w);
    }
    if (status == CLI_DONE && !cli_is_dash(job->options.output) &&
        !cli_is_dash(job->options.json)) {
        print_summary(job, &w);
    }
    job->kind->close(job);
    cli_source_close(&w.source);
    cli_json_discard(&w.rows);
    free(w.current.data);
    free(w.previous.data);
    free(w.out.data);
    return status;
}
