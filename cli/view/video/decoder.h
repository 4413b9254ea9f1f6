/*
 * Videos that saccade reads by itself, and those that `saccade send SOURCE --to -` decodes for it
 * by GStreamer: cameras, addresses, MP4 and its kin.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_DECODER_H
#define CLI_VIEW_VIDEO_DECODER_H

#include <sys/types.h>

#include "source.h"

/* How the command line names a video. */
typedef struct video_input {
    const char *path, *shown; /* shown: without the password of an address */
    int32_t size[2], format;  /* as in cli_frame_wanted; of what is decoded the size wanted */
} video_input;

typedef struct video_reader {
    cli_source source;
    pid_t decoder; /* 0: none */
    int fd;        /* of its frames */
} video_reader;

/* Whether it is decoded, and whether it has no end by itself: a camera, an address, a test picture.
 */
bool video_is_decoded(const char *path);
bool video_is_endless(const char *path);

/* Opens the video; close it on failure, too. An error without a text was said already, by the
 * decoder. */
SAC_NODISCARD sac_status video_reader_open(video_reader *reader, const video_input *input,
                                           sac_error *err);

/* The next frame. SAC_END, SAC_CANCELLED: no more. */
SAC_NODISCARD sac_status video_reader_read(video_reader *reader, const sac_array *frame,
                                           sac_error *err);
void video_reader_close(video_reader *reader);

/* Reports what could not be read. Returns an exit status. */
int video_reader_error(const video_input *input, const sac_error *err);

#endif
