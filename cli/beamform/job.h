/*
 * What saccade beamform does once the command line is understood.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_BEAMFORM_JOB_H
#define CLI_BEAMFORM_JOB_H

#include <saccade/beamform.h>

#include "recordings.h"

typedef struct cli_beamform_options {
    size_t struct_size;
    const char *output, *format, *grid, *grid3, *delays, *json;
    cli_recording_options recording;
    bool yes;
} cli_beamform_options;

typedef struct cli_beamform_job {
    cli_beamform_options options;
    sac_beamform_desc desc; /* options, and the grid where has_grid */
    sac_recording_desc recording_desc;
    const char *input, *output; /* of the recording in work; output NULL: none */
    bool has_grid;
    double point_m[3];     /* --delays */
    struct cli_json *json; /* takes a row a recording; NULL: options.json is this one's alone */
} cli_beamform_job;

/* Whether the output's ending is that of a picture, not of values. */
bool cli_beamform_is_picture(const char *path);

/* Whether it is a movie: .y4m. */
bool cli_beamform_is_movie(const char *path);

/* Refuses a name with '%' that is no pattern for numbers. Returns an exit status. */
int cli_beamform_check_pattern(const char *path);

/* Writes every frame of the image (with --lri, every transmit of it) as a picture with axes, into
 * files with numbers or a movie; rate_hz 0: unknown. Returns an exit status. */
int cli_beamform_pictures(const cli_beamform_job *job, const sac_array *image, double rate_hz);

/* Reads, beamforms, writes, reports. Returns an exit status. */
int cli_beamform_run(cli_beamform_job *job);

/* Refuses what takes more than half of the memory that is free, but not with --yes, and tells of
 * what takes long. Returns an exit status. */
int cli_beamform_size(const cli_beamform_job *job, const sac_array *in);

#endif
