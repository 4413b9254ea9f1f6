/*
 * Videos that saccade reads by itself, and those that saccade-live gets for it by GStreamer: frames
 * of cameras, RTSP addresses, MP4 and its kin, as `saccade send SOURCE --to -` has them, and the
 * packets that `saccade receive ADDRESS -o -` has.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_DECODER_H
#define CLI_VIEW_VIDEO_DECODER_H

#include <sys/types.h>

#include "source.h"

/* How the command line names a video. */
typedef struct video_input {
    const char *path, *shown;    /* shown: without the password of an address */
    int32_t size[2], format;     /* as in cli_frame_wanted; of what is decoded the size wanted */
    const char *passphrase_file; /* of packets; NULL: none */
} video_input;

typedef struct video_reader {
    cli_source source;
    pid_t decoder; /* 0: none */
    int fd;        /* of its frames or packets */
    char path[32]; /* the same, by its name */
} video_reader;

/* What of a delta stream did not come. */
typedef struct video_losses {
    int64_t n_missing; /* frames */
    int64_t n_refused; /* packets that gave no frame, and places where no packet was */
    bool awaits_key;   /* there will be no frame before a keyframe */
} video_losses;

/* Whether saccade-live gets it; whether it has no end by itself: a camera, an address, a test
 * picture; and whether it is an address of `saccade send`. */
bool video_is_decoded(const char *path);
bool video_is_endless(const char *path);
bool video_is_received(const char *path);

/* Opens the video; close it on failure, too. An error without a text was said already, by the
 * decoder. */
SAC_NODISCARD sac_status video_reader_open(video_reader *reader, const video_input *input,
                                           sac_error *err);

/* The next frame. SAC_AGAIN: a packet gave none, and its losses are counted. SAC_END,
 * SAC_CANCELLED: no more. */
SAC_NODISCARD sac_status video_reader_read(video_reader *reader, const sac_array *frame,
                                           sac_error *err);
void video_reader_close(video_reader *reader);

/* So far; false: it has no packets. */
bool video_reader_losses(const video_reader *reader, video_losses *out);

/* Reports what could not be read. Returns an exit status. */
int video_reader_error(const video_input *input, const sac_error *err);

#endif
