/*
 * What frames would take as a delta stream: bytes of each, over time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_STREAM_H
#define CLI_VIEW_VIDEO_STREAM_H

#include "video.h"

typedef struct video_stream video_stream;

/* How the frames are encoded; the rest as saccade delta encode has it. */
typedef struct video_coding {
    int32_t threshold, filter, n_threads;
    sac_device device;
} video_coding;

/*
 * Encodes a frame that follows the last one; any other, or another coding, begins a stream anew.
 * The same frame again changes nothing. *stream is NULL at first. SAC_E_UNSUPPORTED: this build has
 * no zstd.
 */
SAC_NODISCARD sac_status video_stream_add(video_stream **stream, const video_frames *frames,
                                          const sac_video_info *info, const video_coding *coding,
                                          sac_error *err);

/* The member "delta": sizes of the last frames and sums since the stream began; or what refused
 * it. */
void video_stream_put(cli_json *json, const video_stream *stream, const sac_error *err);

void video_stream_close(video_stream **stream);

#endif
