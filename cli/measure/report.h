/*
 * What `saccade measure` found, as a table and as JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MEASURE_REPORT_H
#define CLI_MEASURE_REPORT_H

#include <saccade/measure_ultrasound.h>
#include <saccade/recording.h>

typedef struct cli_target {
    double at_m[3], radius_m, reach_m;
    sac_point_measure point; /* one of these two */
    sac_cyst_measure cyst;
} cli_target;

typedef struct cli_measurement {
    const char *input;
    int32_t frame;
    bool is_cyst; /* or points */
    const sac_image_info *info;
    cli_target *targets;
    size_t n_targets, n_outside; /* of the image: not measured */
} cli_measurement;

/* Writes JSON to `path` (NULL: none), and the table unless that is standard output. An exit
 * status. */
int cli_measure_report(const cli_measurement *m, const char *path);

#endif
