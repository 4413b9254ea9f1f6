/*
 * What saccade delta does once the command line is understood.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DELTA_JOB_H
#define CLI_DELTA_JOB_H

#include <saccade/delta.h>

#include "videos.h"

typedef struct cli_delta_options {
    size_t struct_size;
    const char *output, *json;
    int32_t size[2];
    int32_t format;   /* 0: none given, else 1 + sac_video_pixel */
    const char *rate; /* as given; NULL: as IN says */
    int32_t denoise;  /* an index of cli_source_filters */
} cli_delta_options;

typedef struct cli_delta_job {
    cli_delta_options options;
    sac_delta_encode_desc desc;
    sac_delta_decode_desc decode;
    const char *what, *input; /* "encode", "decode" or "info" */
    struct cli_json *json;    /* takes a row a video; NULL: options.json is this one's alone */
    double rate;              /* frames a second, of options.rate; 0: none given */

    uint64_t n_frames, n_packets, n_keys, packet_bytes, raw_bytes;
    int64_t read_ns, filter_ns, run_ns, write_ns;
} cli_delta_job;

/* Both return an exit status. info is decoding without an output. */
int cli_delta_encode(cli_delta_job *job);
int cli_delta_decode(cli_delta_job *job);

/* Tells of the job in a line and, where --json says so, in rows; `counts` NULL of encoding. */
int cli_delta_report(const cli_delta_job *job, const sac_array *frame, const char *variant,
                     const sac_delta_counts *counts);

#endif
