/*
 * saccade flow at work: images from a file, or beamformed; what is made of them; where it goes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_FLOW_JOB_H
#define CLI_FLOW_JOB_H

#include <saccade/flow.h>

#include "beamform/job.h"

typedef struct cli_flow_options {
    size_t struct_size;
    const char *output, *json, *grid, *apodization, *band;
    double f_number, image_range_db, color_range_db;
    int32_t carrier; /* 1: the images' own frequency */
    cli_recording_options recording;
    bool yes;
} cli_flow_options;

typedef struct cli_flow_job {
    cli_flow_options options;
    sac_flow_desc desc;
    cli_beamform_job beam; /* of channel data */
    const char *input;
    bool is_picture;
    int64_t start_ns;
    double azimuth_rad[SAC_FLOW_MAX_TRANSMITS]; /* of vectors */
} cli_flow_job;

/* Reads, beamforms where IN is channel data, works, writes, reports. Returns an exit status. */
int cli_flow_run(cli_flow_job *job);

/* What the beamforming gives its images to (cli_beamform_job). */
int cli_flow_take(void *ctx, const sac_array *image, const sac_image_info *info);

/* Whether these are images that flow takes, and -o can hold. Returns an exit status. */
int cli_flow_check(const cli_flow_job *job, const sac_array *a, const sac_image_info *info);

/* Vectors: the angles of (n_frames, n_transmits, z, x), of channel data as the recording has them,
 * of images as --transmits says. Returns an exit status. */
int cli_flow_angles(cli_flow_job *job, const sac_array *iq, const sac_image_info *info);

/* For a picture of vectors: the transmits of every frame as one, (n_frames, z, x) of c64; data to
 * be freed. */
sac_array cli_flow_compound(const sac_array *iq);

/* An ensemble's colors over its B-mode, all of it (n_z, n_x). */
typedef struct cli_flow_picture {
    const float *first, *second; /* velocity in m/s and power in dB; with is_power power alone; with
                                    is_directional power toward the probe, and away */
    const float *along_z;        /* of vectors, whose x is the first; else NULL */
    const float *iq;             /* a frame: c64 */
    const sac_grid *grid;
    bool is_power, is_directional;
    double nyquist_m_s;    /* of vectors the speed at the end of the colors */
    double range_db;       /* colors are where the power is above -range_db */
    double image_range_db; /* of the B-mode */
    const char *title;
} cli_flow_picture;

/* The speed that 99 % of n vectors, where the power is above -range_db, do not exceed. */
double cli_flow_top_speed(const cli_flow_picture *p, int64_t n);

/* The point under pixel i, j of a picture of w x h. */
int64_t cli_flow_point(int i, int j, int w, int h, const sac_grid *grid);

/* Arrows of vectors over a picture: the mean of the colored points around each, as long as its
 * speed. */
void cli_flow_arrows(uint32_t *rgb, int w, int h, const cli_flow_picture *p);

/* SAC_E_NOMEM, and what sac_picture_write says. */
SAC_NODISCARD sac_status cli_flow_draw(const char *path, const cli_flow_picture *p, sac_error *err);

#endif
