/*
 * saccade delta decode and info at work: every packet is decoded and checked.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <inttypes.h>
#include <stdlib.h>

#include "packets.h"

typedef struct decoding {
    cli_delta_job *job;
    cli_packets packets;
    sac_video_writer
        *writer; /* opened with the second frame, which may tell the rate, or at the end */
    sac_video_info info;
    sac_array frame; /* the last that came, without the decoder's gaps between rows */
    uint64_t first_ns;
} decoding;

static sac_status take_first(const cli_delta_job *job, decoding *d, sac_error *err)
{
    const sac_status st = cli_packets_info(&d->info, &d->packets, job->options.format, err);
    if (st == SAC_OK) {
        d->frame = cli_frame_new(&d->info);
        d->first_ns = d->packets.frame.time_ns;
    }
    return st;
}

static sac_status open_writer(const cli_delta_job *job, decoding *d, sac_error *err)
{
    sac_status st = sac_video_writer_open(&d->writer, job->options.output, &d->info, err);
    return st ? st : sac_video_write(d->writer, &d->frame, err);
}

/* The first frame waits for the second, which tells the rate of what is no file. */
static sac_status write_frame(const cli_delta_job *job, decoding *d, sac_error *err)
{
    bool is_first = !d->frame.data;
    sac_status st = SAC_OK;
    if (is_first) {
        st = take_first(job, d, err);
    } else if (job->options.output && !d->writer) {
        const uint64_t ns = cli_packets_period(job->input);
        cli_frame_set_rate(&d->info, ns ? ns : d->packets.frame.time_ns - d->first_ns);
        st = open_writer(job, d, err);
    }
    st = st ? st : cli_packets_copy(&d->frame, &d->packets, &d->info, err);
    return st || !d->writer ? st : sac_video_write(d->writer, &d->frame, err);
}

/* SAC_END, SAC_CANCELLED: no more. A packet that gives no picture is counted by the decoder, and
 * passed over, and so is what is no packet. */
static sac_status decode_packet(void *ctx, sac_error *err)
{
    decoding *d = ctx;
    sac_status st = cli_packets_next(&d->packets, err);
    if (st != SAC_OK) {
        return st == SAC_AGAIN ? SAC_OK : st;
    }
    const int64_t start_ns = cli_clock_ns();
    st = write_frame(d->job, d, err);
    cli_frame_lap(&d->job->write_ns, start_ns);
    return st;
}

static int decode_all(cli_delta_job *job, decoding *d)
{
    sac_error err = {0};
    sac_status st = cli_frame_each(decode_packet, d, &d->packets.n_frames, &err);
    int status = st <= SAC_CANCELLED ? CLI_DONE : cli_error(&err);
    if (job->options.output && d->frame.data && !d->writer) {
        st = open_writer(job, d, &err);
        status = cli_or_error(status, st, &err);
    }
    st = sac_video_writer_close(&d->writer, &err);
    return cli_or_error(status, st, &err);
}

/* Of the job, for its report. */
static void take_counts(cli_delta_job *job, const cli_packets *packets)
{
    job->n_frames = packets->n_frames;
    job->n_packets = packets->n_packets;
    job->n_keys = packets->n_keys;
    job->packet_bytes = packets->packet_bytes;
    job->raw_bytes = packets->raw_bytes;
    job->read_ns = packets->read_ns;
    job->run_ns = packets->run_ns;
}

/* A picture that is missing makes the job one that failed; what came out is written, and sound. */
static int tell(cli_delta_job *job, const decoding *d)
{
    sac_error err = {0};
    const cli_packets *packets = &d->packets;
    const sac_error *fault = &packets->fault;
    sac_delta_counts counts = {.struct_size = sizeof counts};
    sac_delta_decode_get_counts(packets->plan, &counts);
    take_counts(job, packets);
    if (job->n_frames == 0) {
        (void)cli_packets_none(packets, &err);
        return cli_error(&err);
    }
    const uint64_t missing = cli_packets_missing(packets);
    int status =
        cli_delta_report(job, &d->frame, sac_delta_decode_get_variant(packets->plan), &counts);
    if (status == CLI_DONE && (job->n_frames < job->n_packets || missing || fault->status)) {
        status = cli_fail("%s%s%" PRIu64 " of %" PRIu64 " packets gave no frame, %" PRIu64
                          " are missing",
                          fault->status ? fault->text : job->input, fault->status ? "; " : ": ",
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
    desc.n_threads = job->decode.n_threads;
    desc.device = job->decode.device;
    desc.variant = job->decode.variant;
    const sac_status st = cli_packets_open(&d.packets, job->input, &desc, &err);
    int status = st == SAC_OK ? decode_all(job, &d) : cli_error(&err);
    status = status ? status : tell(job, &d);
    cli_packets_close(&d.packets);
    free(d.frame.data);
    return status;
}
