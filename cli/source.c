/*
 * Where frames of a video come from: a reader, and the filter of --denoise behind it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *const cli_source_filters[] = {"none",  "mean",      "gaussian", "median", "temporal",
                                          "mean5", "gaussian5", "median5",  NULL};

/* What each of them is. */
static const struct {
    sac_denoise_method method;
    int32_t size;
} filters[] = {{SAC_DENOISE_MEAN, 3},     {SAC_DENOISE_MEAN, 3},     {SAC_DENOISE_GAUSSIAN, 3},
               {SAC_DENOISE_MEDIAN, 3},   {SAC_DENOISE_TEMPORAL, 3}, {SAC_DENOISE_MEAN, 5},
               {SAC_DENOISE_GAUSSIAN, 5}, {SAC_DENOISE_MEDIAN, 5}};

/* Up to the first frame, which tells what all are. */
static sac_status find_first(cli_packets *packets, sac_error *err)
{
    sac_status st;
    while ((st = cli_packets_next(packets, err)) == SAC_AGAIN) {
    }
    return st == SAC_END ? cli_packets_none(packets, err) : st;
}

sac_status cli_source_open_packets(cli_source *source, const char *path, int32_t format,
                                   sac_error *err)
{
    sac_delta_decode_desc desc;
    sac_delta_decode_desc_init(&desc);
    *source = (cli_source){.is_packets = true, .is_ahead = true};
    sac_status st = cli_packets_open(&source->packets, path, &desc, err);
    st = st ? st : find_first(&source->packets, err);
    st = st ? st : cli_packets_info(&source->info, &source->packets, format, err);
    if (st == SAC_OK) {
        cli_frame_set_rate(&source->info, cli_packets_period(path));
    }
    return st;
}

sac_status cli_source_open(cli_source *source, const char *path, const int32_t size[2],
                           int32_t format, sac_error *err)
{
    sac_video_info wanted;
    if (cli_packets_is(path)) {
        const sac_status opened = cli_source_open_packets(source, path, format, err);
        source->is_whole = true;
        return opened;
    }
    *source = (cli_source){.info.struct_size = sizeof source->info};
    sac_status st = sac_video_reader_open_stoppable(
        &source->reader, path, cli_frame_wanted(&wanted, path, size, format), cli_stop_fd(), err);
    if (st == SAC_OK) {
        sac_video_reader_get_info(source->reader, &source->info);
    }
    return st;
}

sac_status cli_source_open_filter(sac_denoise **out, const sac_video_info *info, int32_t filter,
                                  int32_t n_threads, sac_device device, sac_error *err)
{
    sac_denoise_desc desc;
    *out = NULL;
    if (!filter) {
        return SAC_OK;
    }
    sac_denoise_desc_init(&desc);
    desc.w = info->w;
    desc.h = info->h;
    desc.n_channels = sac_video_channels(info->pixel);
    desc.method = (int32_t)filters[filter].method;
    desc.size = filters[filter].size;
    desc.n_threads = n_threads;
    desc.device = device;
    return sac_denoise_open(out, &desc, err);
}

sac_status cli_source_filter(cli_source *source, int32_t filter, int32_t n_threads,
                             sac_device device, sac_error *err)
{
    const sac_status st =
        cli_source_open_filter(&source->filter, &source->info, filter, n_threads, device, err);
    if (st == SAC_OK && source->filter) {
        source->raw = cli_frame_new(&source->info);
    }
    return st;
}

/* A stream that must be whole: SAC_E_FORMAT, where it is not up to here. */
static sac_status check_whole(const cli_packets *packets, sac_error *err)
{
    if (packets->fault.status) {
        *err = packets->fault;
        return err->status;
    }
    if (packets->n_frames == packets->n_packets && !cli_packets_missing(packets)) {
        return SAC_OK;
    }
    err->status = SAC_E_FORMAT;
    snprintf(err->text, sizeof err->text,
             "%s: packet %" PRIu64 " gives no frame, or frames in front of it are missing; saccade "
             "delta decode writes those that are there",
             packets->path, packets->n_packets - 1);
    return err->status;
}

static sac_status read_packets(cli_source *source, const sac_array *frame, sac_error *err)
{
    cli_packets *packets = &source->packets;
    sac_status st = source->is_ahead ? SAC_OK : cli_packets_next(packets, err);
    source->is_ahead = false;
    if (source->is_whole && (st == SAC_OK || st == SAC_AGAIN)) {
        st = check_whole(packets, err);
    }
    return st ? st : cli_packets_copy(frame, packets, &source->info, err);
}

sac_status cli_source_read(cli_source *source, const sac_array *frame, sac_error *err)
{
    int64_t start_ns = cli_clock_ns();
    const sac_array *to = source->filter ? &source->raw : frame;
    sac_status st = source->is_packets ? read_packets(source, to, err)
                                       : sac_video_read(source->reader, to, err);
    start_ns = cli_frame_lap(&source->read_ns, start_ns);
    const char *note = sac_video_reader_get_note(source->reader);
    if (note[0] && !source->noted) {
        cli_warn("%s", note);
        source->noted = true;
    }
    if (st == SAC_OK && source->filter) {
        st = sac_denoise_run(source->filter, frame, &source->raw, err);
        cli_frame_lap(&source->filter_ns, start_ns);
    }
    return st;
}

void cli_source_close(cli_source *source)
{
    sac_denoise_close(&source->filter);
    sac_video_reader_close(&source->reader);
    if (source->is_packets) {
        cli_packets_close(&source->packets);
        source->is_packets = false;
    }
    free(source->raw.data);
    source->raw.data = NULL;
}
