/*
 * The demo's delta streams: a video there and back, lossy and lossless.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DEMO_STREAM_H
#define CLI_DEMO_STREAM_H

#include <saccade/video.h>

#include "clip.h"

/* Times of one thing, a frame each; the median counts. */
typedef struct cli_demo_times {
    int64_t ns[CLI_DEMO_MAX_FRAMES];
    int32_t n;
} cli_demo_times;

double cli_demo_median_ns(cli_demo_times *times); /* sorts them; 0 where there are none */

typedef struct cli_demo_streams cli_demo_streams;

/* For RGB frames. A build without the stream's libraries says so in a line: SAC_OK, *out NULL. */
SAC_NODISCARD sac_status cli_demo_streams_open(cli_demo_streams **out, const sac_video_info *info,
                                               int32_t n_threads, sac_error *err);

/* Encodes and decodes the next frame, contiguous. */
SAC_NODISCARD sac_status cli_demo_streams_run(cli_demo_streams *streams, const sac_array *frame);

/* Prints the table. Returns an exit status: CLI_FAILED where an error is above its threshold. */
int cli_demo_streams_report(cli_demo_streams *streams);
void cli_demo_streams_close(cli_demo_streams **streams);

#endif
