/*
 * Where frames of a video come from: a reader, and the filter of --denoise behind it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source.h"

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

sac_status cli_source_open(cli_source *source, const char *path, const int32_t size[2],
                           int32_t format, sac_error *err)
{
    sac_video_info wanted;
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

sac_status cli_source_read(cli_source *source, const sac_array *frame, sac_error *err)
{
    int64_t start_ns = cli_clock_ns();
    sac_status st = sac_video_read(source->reader, source->filter ? &source->raw : frame, err);
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
    free(source->raw.data);
    source->raw.data = NULL;
}
