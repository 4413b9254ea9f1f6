/*
 * saccade delta decode and info at work: every packet is decoded and checked.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest that encode takes: so many in whole cells of 64 x 16. */
#define MAX_PIXELS (SAC_VIDEO_MAX_PIXELS + 80 * SAC_VIDEO_MAX_SIDE)

typedef struct decoding {
    cli_delta_job *job;
    sac_sdv_reader *reader;
    sac_delta_decode *plan;
    sac_video_writer
        *writer; /* opened with the second frame, which may tell the rate, or at the end */
    sac_video_info info;
    sac_array frame; /* the last that came, without the decoder's gaps between rows */
    uint64_t first_ns;
    uint64_t last, gap; /* the frame's number, and how many are missing in front of it */
    sac_error fault;    /* the first place where no packet was, or status 0 */
} decoding;

/* What the stream's pixels are. One that does not tell is taken to be as --format says, or RGB. */
static sac_video_pixel pixel_of(const sac_delta_frame *frame, sac_video_pixel wanted)
{
    int64_t n = frame->picture.n_dims == 2 ? 1 : frame->picture.shape[2];
    bool blue = frame->order == SAC_ORDER_UNKNOWN ? (cli_frame_order(wanted) == SAC_ORDER_BGR)
                                                  : frame->order == SAC_ORDER_BGR;
    return n == 1   ? SAC_PIXEL_GRAY
           : n == 3 ? (blue ? SAC_PIXEL_BGR : SAC_PIXEL_RGB)
                    : (blue ? SAC_PIXEL_BGRX : SAC_PIXEL_RGBA);
}

static sac_status take_first(const cli_delta_job *job, decoding *d, const sac_delta_frame *frame,
                             sac_error *err)
{
    const sac_array *p = &frame->picture;
    int32_t format = job->options.format;
    sac_video_pixel wanted = format ? (sac_video_pixel)(format - 1) : SAC_PIXEL_RGB;
    sac_video_pixel pixel = pixel_of(frame, wanted);
    if (format && sac_video_channels(wanted) != sac_video_channels(pixel)) {
        snprintf(err->text, sizeof err->text, "--format %s: the stream has %d channels",
                 cli_frame_formats[format], sac_video_channels(pixel));
        return SAC_E_SHAPE;
    }
    d->info = (sac_video_info){.struct_size = sizeof d->info,
                               .pixel = format ? wanted : pixel,
                               .w = p->shape[1],
                               .h = p->shape[0]};
    bool gray = d->info.pixel == SAC_PIXEL_GRAY;
    d->info.chroma = gray ? SAC_CHROMA_MONO : SAC_CHROMA_444;
    d->info.full_range = gray;
    d->frame = cli_frame_new(&d->info);
    d->first_ns = frame->time_ns;
    return SAC_OK;
}

static void swap_red_and_blue(const sac_array *frame)
{
    uint8_t *at = frame->data, *end = at + sac_array_count(frame);
    for (; at < end; at += frame->shape[2]) {
        uint8_t red = at[0];
        at[0] = at[2];
        at[2] = red;
    }
}

static sac_status copy_frame(decoding *d, const sac_delta_frame *frame, sac_error *err)
{
    const sac_array *picture = &frame->picture, *to = &d->frame;
    sac_video_pixel pixel = pixel_of(frame, d->info.pixel);
    bool alike = picture->n_dims == to->n_dims && picture->shape[0] == to->shape[0] &&
                 picture->shape[1] == to->shape[1] &&
                 (to->n_dims == 2 || picture->shape[2] == to->shape[2]);
    for (int64_t y = 0; alike && y < to->shape[0]; y++) {
        memcpy((char *)to->data + y * to->stride[0],
               (const char *)picture->data + y * picture->stride[0], (size_t)to->stride[0]);
    }
    if (!alike) {
        snprintf(err->text, sizeof err->text, "the stream's pictures change in size or channels");
        return SAC_E_FORMAT;
    }
    if ((cli_frame_order(pixel) == SAC_ORDER_BGR) !=
        (cli_frame_order(d->info.pixel) == SAC_ORDER_BGR)) {
        swap_red_and_blue(to);
    }
    return SAC_OK;
}

static sac_status open_writer(const cli_delta_job *job, decoding *d, sac_error *err)
{
    sac_status st = sac_video_writer_open(&d->writer, job->options.output, &d->info, err);
    return st ? st : sac_video_write(d->writer, &d->frame, err);
}

/* The first frame waits for the second, which tells the rate of what is no file. */
static sac_status write_frame(const cli_delta_job *job, decoding *d, const sac_delta_frame *frame,
                              sac_error *err)
{
    bool is_first = !d->frame.data;
    sac_status st = SAC_OK;
    if (is_first) {
        st = take_first(job, d, frame, err);
    } else if (job->options.output && !d->writer) {
        const uint64_t ns = cli_delta_period(job->input, MAX_PIXELS);
        cli_frame_set_rate(&d->info, ns ? ns : frame->time_ns - d->first_ns);
        st = open_writer(job, d, err);
    }
    st = st ? st : copy_frame(d, frame, err);
    return st || !d->writer ? st : sac_video_write(d->writer, &d->frame, err);
}

/* SAC_END, SAC_CANCELLED: no more. A packet that gives no picture is counted by the decoder, and
 * passed over, and so is what is no packet. */
static sac_status decode_packet(void *ctx, sac_error *err)
{
    decoding *d = ctx;
    cli_delta_job *job = d->job;
    sac_delta_packet packet;
    sac_delta_frame frame = {0};
    sac_error refused;
    int64_t start_ns = cli_clock_ns();
    sac_status st = sac_sdv_read(d->reader, &packet, err);
    start_ns = cli_frame_lap(&job->read_ns, start_ns);
    if (st == SAC_E_FORMAT) {
        d->fault = d->fault.status ? d->fault : *err;
        return SAC_OK;
    }
    if (st != SAC_OK) {
        return st;
    }
    st = sac_delta_decode_run(d->plan, &frame, packet.data, packet.size, &refused);
    start_ns = cli_frame_lap(&job->run_ns, start_ns);
    job->n_packets++;
    job->n_keys += packet.is_key;
    job->packet_bytes += packet.size;
    if (st == SAC_E_NOMEM) {
        *err = refused;
        return st;
    }
    if (st != SAC_OK) {
        return SAC_OK;
    }
    d->gap = job->n_frames > 0 && frame.frame > d->last ? frame.frame - d->last - 1 : 0;
    d->last = frame.frame;
    job->n_frames++;
    job->raw_bytes += (uint64_t)sac_array_count(&frame.picture);
    st = write_frame(job, d, &frame, err);
    cli_frame_lap(&job->write_ns, start_ns);
    return st;
}

static int decode_all(cli_delta_job *job, decoding *d)
{
    sac_error err = {0};
    sac_status st = cli_frame_each(decode_packet, d, &job->n_frames, &err);
    int status = st <= SAC_CANCELLED ? CLI_DONE : cli_error(&err);
    if (job->options.output && d->frame.data && !d->writer) {
        st = open_writer(job, d, &err);
        status = cli_or_error(status, st, &err);
    }
    st = sac_video_writer_close(&d->writer, &err);
    return cli_or_error(status, st, &err);
}

/* A picture that is missing makes the job one that failed; what came out is written, and sound. */
static int tell(const cli_delta_job *job, const decoding *d)
{
    sac_delta_counts counts = {.struct_size = sizeof counts};
    sac_delta_decode_get_counts(d->plan, &counts);
    if (job->n_frames == 0) {
        return d->fault.status ? cli_error(&d->fault)
               : job->n_packets == 0
                   ? cli_fail("%s: has no packet of a delta stream", job->input)
                   : cli_fail("%s: no frame came of %" PRIu64 " packet%s", job->input,
                              job->n_packets, cli_s((int64_t)job->n_packets));
    }
    const uint64_t missing = counts.lost + d->gap; /* in front of the last frame none is lost yet */
    int status = cli_delta_report(job, &d->frame, sac_delta_decode_get_variant(d->plan), &counts);
    if (status == CLI_DONE && (job->n_frames < job->n_packets || missing || d->fault.status)) {
        status = cli_fail(
            "%s%s%" PRIu64 " of %" PRIu64 " packets gave no frame, %" PRIu64 " are missing",
            d->fault.status ? d->fault.text : job->input, d->fault.status ? "; " : ": ",
            job->n_packets - job->n_frames, job->n_packets, missing);
    }
    return status;
}

int cli_delta_decode(cli_delta_job *job)
{
    decoding d = {.job = job};
    sac_error err = {0};
    sac_delta_decode_desc desc;
    sac_delta_decode_desc_init(&desc);
    desc.max_pixels = MAX_PIXELS;
    desc.n_threads = job->decode.n_threads;
    desc.device = job->decode.device;
    desc.variant = job->decode.variant;
    sac_status st = sac_sdv_reader_open_stoppable(&d.reader, job->input, cli_stop_fd(), &err);
    st = st ? st : sac_sdv_reader_limit(d.reader, MAX_PIXELS, &err);
    st = st ? st : sac_delta_decode_open(&d.plan, &desc, &err);
    int status = st == SAC_OK ? decode_all(job, &d) : cli_error(&err);
    status = status ? status : tell(job, &d);
    sac_delta_decode_close(&d.plan);
    sac_sdv_reader_close(&d.reader);
    free(d.frame.data);
    return status;
}
