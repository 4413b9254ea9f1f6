/*
 * saccade measure --flow.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MEASURE_FLOW_H
#define CLI_MEASURE_FLOW_H

#include <saccade/flow.h>
#include <saccade/recording.h>

typedef struct cli_flow_error {
    const char *input, *vessel, *json; /* vessel NULL: the truth in the file */
    int32_t frame;
    double prf_hz; /* 0: the file's */
} cli_flow_error;

/* Measures a frame of velocities (n_z, n_x) and reports. Returns an exit status. */
int cli_measure_flow(const cli_flow_error *f, const sac_array *frame, const sac_image_info *info);

#endif
