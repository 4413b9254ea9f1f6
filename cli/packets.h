/*
 * A delta stream as frames: packets of a file or a pipe, decoded and checked one by one.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_PACKETS_H
#define CLI_PACKETS_H

#include <saccade/delta.h>

#include "videos.h"

typedef struct cli_packets {
    const char *path;
    sac_delta_decode_desc desc;
    sac_sdv_reader *reader;
    sac_delta_decode *plan;
    sac_delta_frame frame; /* the last that came; its picture is valid until the next call */
    uint64_t gap;          /* how many are missing in front of it */
    uint64_t n_packets, n_frames, n_keys, packet_bytes, raw_bytes;
    uint64_t n_faults; /* places where no packet was */
    sac_error fault;   /* of the first of them, or status 0 */
    int64_t read_ns, run_ns;
} cli_packets;

/* Whether a name is one of a stream: of a file, and of standard input ("-"), by how it begins, else
 * by its ending, .sdv. Nothing is taken of standard input, whose first five bytes have to come at
 * once, or read of other pipes. */
bool cli_packets_is(const char *path);

/* Opens the stream ("-": standard input). The path must stay. Close it on failure, too. */
SAC_NODISCARD sac_status cli_packets_open(cli_packets *packets, const char *path,
                                          const sac_delta_decode_desc *desc, sac_error *err);

/*
 * Reads the next packet and decodes it into packets->frame. SAC_AGAIN: it gave no frame, which the
 * decoder has counted, or it was none, which is the fault. SAC_END, SAC_CANCELLED: no more.
 */
SAC_NODISCARD sac_status cli_packets_next(cli_packets *packets, sac_error *err);

/* Goes on at the last keyframe of a file that is not behind frame `number`. */
SAC_NODISCARD sac_status cli_packets_seek(cli_packets *packets, uint64_t number, sac_error *err);

/* Frames that are missing so far, and packets that gave none. */
uint64_t cli_packets_missing(const cli_packets *packets);

/* That there was no frame, behind the last packet: SAC_E_FORMAT. */
sac_status cli_packets_none(const cli_packets *packets, sac_error *err);

/* What the last frame is as one of a video, whose rate is not told; `format`, an index of
 * cli_frame_inputs, is what its pixels shall be, or are where the stream does not tell.
 * SAC_E_SHAPE: its channels are not of that. */
SAC_NODISCARD sac_status cli_packets_info(sac_video_info *info, const cli_packets *packets,
                                          int32_t format, sac_error *err);

/* The last frame without the decoder's gaps between rows, in the colors of info. SAC_E_FORMAT: it
 * is of another size, or has other channels. */
SAC_NODISCARD sac_status cli_packets_copy(const sac_array *to, const cli_packets *packets,
                                          const sac_video_info *info, sac_error *err);

void cli_packets_close(cli_packets *packets);

/* Nanoseconds between two frames: the median over the first 256 of a file. 0: it is none, or has no
 * two frames. */
uint64_t cli_packets_period(const char *path);

/* Of frames, in pixels: the largest that `delta encode` takes, so many in whole cells of 64 x 16.
 */
#define CLI_PACKETS_PIXELS (SAC_VIDEO_MAX_PIXELS + 80 * SAC_VIDEO_MAX_SIDE)

#endif
