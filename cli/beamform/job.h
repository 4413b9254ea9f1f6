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
    const char *output, *format, *grid, *grid3, *sector, *apex, *picture, *delays, *json;
    cli_recording_options recording;
    bool yes;
} cli_beamform_options;

typedef struct cli_beamform_job {
    cli_beamform_options options;
    sac_beamform_desc desc; /* options, and the grid where has_grid */
    sac_recording_desc recording_desc;
    const char *input, *output; /* of the recording in work; output NULL: none */
    bool has_grid, has_apex;
    sac_grid picture;      /* --picture, where it gives a grid; n of 0: it does not */
    double point_m[3];     /* --delays */
    struct cli_json *json; /* takes a row a recording; NULL: options.json is this one's alone */
    /* What takes the image instead of a file: saccade flow. NULL: it is written. */
    int (*take)(void *ctx, const sac_array *image, const sac_image_info *info);
    void *take_ctx;
} cli_beamform_job;

/* Whether the output's ending is that of a picture, not of values. */
bool cli_beamform_is_picture(const char *path);

/* Whether it is a movie: .y4m. */
bool cli_beamform_is_movie(const char *path);

/* "out.png" and frame 7 of 32: "out-0007.png"; to be freed. */
char *cli_beamform_series_name(const char *path, int64_t frame, int64_t n_frames);

/* Refuses a name with '%' that is no pattern for numbers. Returns an exit status. */
int cli_beamform_check_pattern(const char *path);

/* Writes every frame of the image (with --lri, every transmit of it) as a picture with axes, into
 * files with numbers or a movie; rate_hz 0: unknown. Returns an exit status. */
int cli_beamform_pictures(const cli_beamform_job *job, const sac_array *image, double rate_hz);

/* Reads, beamforms, writes, reports. Returns an exit status. */
int cli_beamform_run(cli_beamform_job *job);

/* --grid, --grid3, --sector, and what belongs to a sector. Returns an exit status. */
int cli_beamform_parse_grid(cli_beamform_job *job);

/* Of the acquisition in the desc: the grid that suits the array where none is given, or the apex of
 * a sector; and the picture that a sector is converted to. */
sac_status cli_beamform_choose_grid(cli_beamform_job *job, int64_t n_samples, sac_error *err);

/* The grid of what comes out: of a sector, where it is converted, the picture. */
const sac_grid *cli_beamform_grid(const cli_beamform_job *job);

/* Refuses what takes more than half of the memory that is free, but not with --yes, and tells of
 * what takes long. Returns an exit status. */
int cli_beamform_size(const cli_beamform_job *job, const sac_array *in);

#endif
