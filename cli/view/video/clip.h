/*
 * A video file whose frames are shown in any order: what fits into a quarter of the free memory is
 * kept, the rest is read again.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_CLIP_H
#define CLI_VIEW_VIDEO_CLIP_H

#include "decoder.h"

/* A filter as cli_source_filter has it. */
typedef struct video_filter {
    int32_t which, n_threads;
    sac_device device;
} video_filter;

/* One frame of a video, and the one before it, of the first frame the same. */
typedef struct video_frames {
    sac_array raw;               /* as it was read */
    sac_array current, previous; /* filtered */
    int64_t frame;
} video_frames;

typedef struct video_clip video_clip;

/* Reads all frames once. Returns an exit status. The input's path must stay. */
int video_clip_open(video_clip **out, const video_input *input);
void video_clip_close(video_clip **clip);

const sac_video_info *video_clip_info(const video_clip *clip);
int64_t video_clip_count(const video_clip *clip);

/* What the file lacks of a delta stream; false: it is none. */
bool video_clip_losses(const video_clip *clip, video_losses *out);

/* That frame, valid until the next call. A filter over time sees all frames before it first. */
SAC_NODISCARD sac_status video_clip_show(video_clip *clip, video_frames *out, int64_t frame,
                                         const video_filter *filter, sac_error *err);

#endif
