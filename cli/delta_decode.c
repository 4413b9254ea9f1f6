/*
 * saccade delta decode and info at work: every packet is decoded and checked.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

typedef struct decoding {
    sac_sdv_reader *reader;
    sac_delta_decode *plan;
    sac_video_writer
        *writer; /* opened with the second frame, which tells the rate, or at the end */
    sac_video_info info;
    sac_array frame; /* the last that came, without the decoder's gaps between rows */
    uint64_t first_ns;
} decoding;

/* Frames a second from the time between two: whole ones, those of NTSC, or as it is. */
static void set_rate(sac_video_info *info, uint64_t ns)
{
    static const int64_t dens[] = {1, 1001};
    if (ns == 0 || ns > INT32_MAX) {
        return;
    }
    info->rate_num = 1000000000;
    info->rate_den = (int64_t)ns;
    for (size_t i = 0; i < sizeof dens / sizeof *dens; i++) {
        double num = round((double)dens[i] * 1e9 / (double)ns);
        if (fabs(num * (double)ns - (double)dens[i] * 1e9) <= num) { /* to a nanosecond */
            info->rate_num = (int64_t)num;
            info->rate_den = dens[i];
            return;
        }
    }
}

static sac_video_pixel pixel_of(const cli_delta_job *job, int32_t n_channels)
{
    sac_video_pixel given = (sac_video_pixel)(job->options.format - 1);
    if (job->options.format && sac_video_channels(given) == n_channels) {
        return given;
    }
    return n_channels == 1 ? SAC_PIXEL_GRAY : n_channels == 3 ? SAC_PIXEL_RGB : SAC_PIXEL_RGBA;
}

static void take_first(const cli_delta_job *job, decoding *d, const sac_delta_frame *frame)
{
    const sac_array *p = &frame->picture;
    d->info = (sac_video_info){.struct_size = sizeof d->info,
                               .pixel = pixel_of(job, p->n_dims == 2 ? 1 : (int32_t)p->shape[2]),
                               .w = p->shape[1],
                               .h = p->shape[0]};
    bool gray = d->info.pixel == SAC_PIXEL_GRAY;
    d->info.chroma = gray ? SAC_CHROMA_MONO : SAC_CHROMA_444;
    d->info.full_range = gray;
    d->frame = cli_frame_new(&d->info);
    d->first_ns = frame->time_ns;
}

static sac_status copy_frame(decoding *d, const sac_array *picture, sac_error *err)
{
    const sac_array *to = &d->frame;
    bool alike = picture->n_dims == to->n_dims && picture->shape[0] == to->shape[0] &&
                 picture->shape[1] == to->shape[1] &&
                 (to->n_dims == 2 || picture->shape[2] == to->shape[2]);
    for (int64_t y = 0; alike && y < to->shape[0]; y++) {
        memcpy((char *)to->data + y * to->stride[0],
               (const char *)picture->data + y * picture->stride[0], (size_t)to->stride[0]);
    }
    snprintf(err->text, sizeof err->text, "the stream's pictures change in size or channels");
    return alike ? SAC_OK : SAC_E_FORMAT;
}

static sac_status open_writer(const cli_delta_job *job, decoding *d, sac_error *err)
{
    sac_status st = sac_video_writer_open(&d->writer, job->options.output, &d->info, err);
    return st ? st : sac_video_write(d->writer, &d->frame, err);
}

/* The first frame waits for the second, which tells the rate. */
static sac_status write_frame(const cli_delta_job *job, decoding *d, const sac_delta_frame *frame,
                              sac_error *err)
{
    bool is_first = !d->frame.data;
    sac_status st = SAC_OK;
    if (is_first) {
        take_first(job, d, frame);
    } else if (job->options.output && !d->writer) {
        set_rate(&d->info, frame->time_ns - d->first_ns);
        st = open_writer(job, d, err);
    }
    st = st ? st : copy_frame(d, &frame->picture, err);
    return st || !d->writer ? st : sac_video_write(d->writer, &d->frame, err);
}

/* SAC_AGAIN: no more. A packet that gives no picture is counted by the decoder, and passed over. */
static sac_status decode_packet(cli_delta_job *job, decoding *d, sac_error *err)
{
    sac_delta_packet packet;
    sac_delta_frame frame = {0};
    int64_t start_ns = cli_clock_ns();
    sac_status st = sac_sdv_read(d->reader, &packet, err);
    start_ns = cli_delta_lap(&job->read_ns, start_ns);
    if (st != SAC_OK) {
        return st;
    }
    st = sac_delta_decode_run(d->plan, &frame, packet.data, packet.size);
    start_ns = cli_delta_lap(&job->run_ns, start_ns);
    job->n_packets++;
    job->n_keys += packet.is_key;
    job->packet_bytes += packet.size;
    if (st == SAC_E_NOMEM) {
        snprintf(err->text, sizeof err->text, "delta decode: no memory for the picture");
    }
    if (st != SAC_OK) {
        return st == SAC_E_NOMEM ? st : SAC_OK;
    }
    job->n_frames++;
    job->raw_bytes += (uint64_t)sac_array_count(&frame.picture);
    st = write_frame(job, d, &frame, err);
    cli_delta_lap(&job->write_ns, start_ns);
    return st;
}

static int decode_all(cli_delta_job *job, decoding *d)
{
    sac_error err = {0};
    sac_status st = SAC_OK;
    cli_progress progress;
    cli_progress_open(&progress, "frames");
    while (st == SAC_OK && !cli_interrupted()) {
        st = decode_packet(job, d, &err);
        cli_progress_count(&progress, job->n_frames);
    }
    cli_progress_hide(&progress);
    int status = st == SAC_OK || st == SAC_AGAIN ? CLI_DONE : cli_fail("%s", err.text);
    if (job->options.output && d->frame.data && !d->writer && open_writer(job, d, &err) != SAC_OK &&
        status == CLI_DONE) {
        status = cli_error(&err);
    }
    if (sac_video_writer_close(&d->writer, &err) != SAC_OK && status == CLI_DONE) {
        status = cli_error(&err);
    }
    return status;
}

/* A picture that is missing makes the job one that failed; what came out is written, and sound. */
static int tell(const cli_delta_job *job, const decoding *d)
{
    const sac_delta_counts counts = sac_delta_decode_counts(d->plan);
    if (job->n_frames == 0) {
        return cli_fail("%s: no frame came of %" PRIu64 " packets", job->input, job->n_packets);
    }
    int status = cli_delta_report(job, &d->frame, NULL, &counts);
    if (status == CLI_DONE && (job->n_frames < job->n_packets || counts.lost)) {
        status = cli_fail("%s: %" PRIu64 " of %" PRIu64 " packets gave no frame, %" PRIu64
                          " are missing",
                          job->input, job->n_packets - job->n_frames, job->n_packets, counts.lost);
    }
    return status;
}

int cli_delta_decode(cli_delta_job *job)
{
    decoding d = {0};
    sac_error err = {0};
    sac_delta_decode_desc desc;
    sac_delta_decode_desc_init(&desc);
    desc.n_threads = job->desc.n_threads;
    sac_status st = sac_sdv_reader_open(&d.reader, job->input, &err);
    st = st ? st : sac_delta_decode_open(&d.plan, &desc, &err);
    int status = st == SAC_OK ? decode_all(job, &d) : cli_error(&err);
    status = status ? status : tell(job, &d);
    sac_delta_decode_close(&d.plan);
    sac_sdv_reader_close(&d.reader);
    free(d.frame.data);
    return status;
}
