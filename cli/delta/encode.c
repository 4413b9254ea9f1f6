/*
 * saccade delta encode at work, and what all of saccade delta reports.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "source.h"
#include "tables.h"

/* Of a video that does not tell its rate. */
#define DEFAULT_RATE 25

static double ratio_of(const cli_delta_job *job)
{
    return job->packet_bytes ? (double)job->raw_bytes / (double)job->packet_bytes : 0;
}

static int write_json(const cli_delta_job *job, const sac_array *frame, const char *variant,
                      const sac_delta_counts *counts)
{
    cli_json own;
    char shape[48];
    const sac_device device = counts ? job->decode.device : job->desc.device;
    cli_json *json = cli_json_begin_row(&own, job->json, device);
    cli_json_string(json, "pipeline", "delta");
    cli_json_string(json, "job", job->what);
    cli_json_string(json, "input", job->input);
    cli_json_string(json, "shape", cli_shape_text(shape, sizeof shape, frame));
    cli_json_uint(json, "frames", job->n_frames);
    cli_json_uint(json, "packets", job->n_packets);
    cli_json_uint(json, "keyframes", job->n_keys);
    cli_json_uint(json, "bytes", job->packet_bytes);
    cli_json_real(json, "ratio", ratio_of(job));
    cli_json_string(json, "variant", variant);
    if (!counts) {
        cli_json_int(json, "threshold", job->desc.threshold);
        cli_json_string(json, "denoise", cli_source_filters[job->options.denoise]);
    } else {
        cli_json_uint(json, "damaged", counts->damaged + counts->foreign + counts->truncated);
        cli_json_uint(json, "lost", counts->lost);
    }
    cli_json_int(json, "read_ns", job->read_ns);
    if (!counts) {
        cli_json_int(json, "filter_ns", job->filter_ns);
    }
    cli_json_int(json, "run_ns", job->run_ns);
    cli_json_int(json, "write_ns", job->write_ns);
    return cli_json_end_row(&own, job->json, NULL, job->options.json);
}

int cli_delta_report(const cli_delta_job *job, const sac_array *frame, const char *variant,
                     const sac_delta_counts *counts)
{
    char run[16], shape[48];
    const cli_delta_options *o = &job->options;
    if (!cli_is_dash(o->output) && !cli_is_dash(o->json)) {
        printf("%s: %" PRIu64 " frame%s of %s: %" PRIu64 " bytes in %" PRIu64 " packet%s, %" PRIu64
               " of them keyframes; %.1f times smaller than raw; %s a frame\n",
               o->output ? o->output : job->input, job->n_frames, cli_s((int64_t)job->n_frames),
               cli_shape_text(shape, sizeof shape, frame), job->packet_bytes, job->n_packets,
               cli_s((int64_t)job->n_packets), job->n_keys, ratio_of(job),
               cli_time_text(run, sizeof run,
                             (double)(job->run_ns + job->filter_ns) / (double)job->n_frames));
    }
    return o->json ? write_json(job, frame, variant, counts) : CLI_DONE;
}

typedef struct encoding {
    cli_delta_job *job;
    cli_source source;
    sac_delta_encode *plan;
    sac_sdv_writer *writer; /* opened with the first frame: a bad input makes no output */
    sac_array frame;
    double frame_ns;
} encoding;

static sac_status open_encoding(cli_delta_job *job, encoding *e, sac_error *err)
{
    const cli_delta_options *o = &job->options;
    sac_status st = cli_source_open(&e->source, job->input, o->size, o->format, err);
    const sac_video_info info = e->source.info;
    st = st ? st
            : cli_source_filter(&e->source, o->denoise, job->desc.n_threads, job->desc.device, err);
    if (st != SAC_OK) {
        return st;
    }
    e->frame_ns = 1e9 / DEFAULT_RATE;
    if (job->rate > 0) {
        e->frame_ns = 1e9 / job->rate;
    } else if (info.rate_num && info.rate_den) {
        e->frame_ns = 1e9 * (double)info.rate_den / (double)info.rate_num;
    }
    job->desc.scene_change = true;
    job->desc.w = info.w;
    job->desc.h = info.h;
    job->desc.n_channels = sac_video_channels(info.pixel);
    job->desc.order = cli_frame_order(info.pixel);
    e->frame = cli_frame_new(&info);
    return sac_delta_encode_open(&e->plan, &job->desc, err);
}

/* SAC_END, SAC_CANCELLED: no more. */
static sac_status encode_frame(void *ctx, sac_error *err)
{
    encoding *e = ctx;
    cli_delta_job *job = e->job;
    sac_delta_packet packet;
    sac_status st = cli_source_read(&e->source, &e->frame, err);
    int64_t start_ns = cli_clock_ns();
    if (st != SAC_OK) {
        return st;
    }
    st = sac_delta_encode_run(e->plan, &packet, &e->frame,
                              (uint64_t)((double)job->n_frames * e->frame_ns + 0.5), err);
    start_ns = cli_frame_lap(&job->run_ns, start_ns);
    if (st != SAC_OK) {
        return st;
    }
    if (!e->writer) {
        st = sac_sdv_writer_open(&e->writer, job->options.output, err);
    }
    st = st ? st : sac_sdv_write(e->writer, &packet, err);
    cli_frame_lap(&job->write_ns, start_ns);
    if (st == SAC_OK) {
        job->n_frames++;
        job->n_packets++;
        job->n_keys += packet.is_key;
        job->packet_bytes += packet.size;
        job->raw_bytes += (uint64_t)sac_array_count(&e->frame);
    }
    return st;
}

static int encode_all(const cli_delta_job *job, encoding *e)
{
    sac_error err = {0};
    const sac_status st = cli_frame_each(encode_frame, e, &job->n_frames, &err);
    int status = st <= SAC_CANCELLED
                     ? CLI_DONE
                     : cli_frame_error(&err, job->options.size, job->options.format);
    const sac_status closed = sac_sdv_writer_close(&e->writer, &err);
    status = cli_or_error(status, closed, &err);
    if (status == CLI_DONE && job->n_frames == 0) {
        status = cli_fail("%s: no frame came", job->input);
    }
    return status;
}

int cli_delta_encode(cli_delta_job *job)
{
    encoding e = {.job = job};
    sac_error err = {0};
    sac_status st = open_encoding(job, &e, &err);
    int status = st == SAC_OK ? encode_all(job, &e)
                              : cli_frame_error(&err, job->options.size, job->options.format);
    job->read_ns = e.source.read_ns;
    job->filter_ns = e.source.filter_ns;
    if (status == CLI_DONE) {
        status = cli_delta_report(job, &e.frame, sac_delta_encode_get_variant(e.plan), NULL);
    }
    sac_delta_encode_close(&e.plan);
    cli_source_close(&e.source);
    free(e.frame.data);
    return status;
}
