/*
 * The videos of `saccade equalize`.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_EQUALIZE_VIDEO_H
#define CLI_EQUALIZE_VIDEO_H

#include "motion/job.h"

/* Whether the input, or the output, is a video: Y4M by content, raw frames, a series of pictures.
 */
bool cli_equalize_is_video(const char *input, const cli_motion_options *options);

/* Equalizes the frames of job->input, as desc.equalize says. Returns an exit status. */
int cli_equalize_video(cli_motion_job *job);

#endif
