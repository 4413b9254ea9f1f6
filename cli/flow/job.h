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
} cli_flow_job;

/* Reads, beamforms where IN is channel data, works, writes, reports. Returns an exit status. */
int cli_flow_run(cli_flow_job *job);

/* What the beamforming gives its images to (cli_beamform_job). */
int cli_flow_take(void *job, const sac_array *image, const sac_image_info *info);

/* An ensemble's colors over its B-mode, all of it (n_z, n_x). */
typedef struct cli_flow_picture {
    const float *first, *second; /* velocity in m/s and power in dB; with is_power power alone; with
                                    is_directional power toward the probe, and away */
    const float *iq;             /* a frame: c64 */
    const sac_grid *grid;
    bool is_power, is_directional;
    double nyquist_m_s, range_db; /* colors are where the power is above -range_db */
    double image_range_db;        /* of the B-mode */
    const char *title;
} cli_flow_picture;

/* SAC_E_NOMEM, and what sac_picture_write says. */
SAC_NODISCARD sac_status cli_flow_draw(const char *path, const cli_flow_picture *p, sac_error *err);

#endif
