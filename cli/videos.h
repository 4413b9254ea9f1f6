/*
 * What commands over videos share: memory of frames, Ctrl-C, names of files.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIDEOS_H
#define CLI_VIDEOS_H

#include <saccade/video.h>

#include "command.h"

extern const char *const cli_frame_formats[]; /* auto, then as sac_video_pixel */
extern const char *const cli_frame_inputs[]; /* the same, then planes of raw frames that are read */

/* Whether a name ends as Y4M or raw frames do. */
bool cli_frame_is_name(const char *path);

/* What the command line says of the video `path`, with `format` an index of the above; returns
 * `wanted`, or NULL where it says nothing. Of raw frames without a format the name's ending does.
 */
const sac_video_info *cli_frame_wanted(sac_video_info *wanted, const char *path,
                                       const int32_t size[2], int32_t format);

/* Frames a second from the time between two: whole ones, those of NTSC, or as it is, to a
 * thousandth of a second where a nanosecond's would be more than a header holds. A time of 0 says
 * nothing. */
void cli_frame_set_rate(sac_video_info *info, uint64_t ns);

/* A black frame; free() its data. */
sac_array cli_frame_new(const sac_video_info *info);

/* From now on SIGINT and SIGTERM only set what cli_interrupted tells; a second one ends the program
 * as ever. */
void cli_catch_interrupts(void);
bool cli_interrupted(void);

/* Readable once one of them came, for readers that wait; -1 before cli_catch_interrupts. */
int cli_stop_fd(void);

bool cli_is_dash(const char *path); /* of NULL: not */

/* Reports a video that cannot be read: where frames are raw, what was said of them may be wrong,
 * and is named. Returns an exit status. */
int cli_frame_error(const sac_error *err, const int32_t size[2], int32_t format);

/* The same of one of many inputs, each a file: a series of pictures, and standard input, go alone.
 * A cli_many's. */
int cli_frame_check_many(void *ctx, const char *input, const char *output);

int64_t cli_frame_lap(int64_t *sum_ns, int64_t since_ns); /* adds up; returns now */

sac_pixel_order cli_frame_order(sac_video_pixel pixel);

/* Calls step(ctx) with a bar of *n_frames until it returns another status than SAC_OK, which is
 * returned, or Ctrl-C came. */
SAC_NODISCARD sac_status cli_frame_each(sac_status (*step)(void *ctx, sac_error *err), void *ctx,
                                        const uint64_t *n_frames, sac_error *err);

/* Refuses an output (NULL: none) that is the input or the report, and a report (NULL: none) that is
 * the input or could not be written. Returns an exit status. */
int cli_frame_outputs(const cli_command *command, const char *input, const char *output,
                      const char *json);

#endif
