/*
 * One run of saccade flow, between its plan and what it writes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_FLOW_WORK_H
#define CLI_FLOW_WORK_H

#include "job.h"

typedef struct cli_flow_work {
    cli_flow_job *job;
    sac_flow_desc desc;
    const sac_array *iq;
    const sac_image_info *info;
    sac_flow *plan;
    sac_array out;
    int64_t first_frame;
    /* Of a picture of vectors: all transmits in one, and their power in dB. */
    sac_array compound, power;
    double top_m_s;
} cli_flow_work;

/* What pictures of vectors show besides: the power Doppler of all transmits in one. */
SAC_NODISCARD sac_status cli_flow_add_power(cli_flow_work *w, sac_error *err);

/* Writes the result, reports. Returns an exit status. */
int cli_flow_finish(const cli_flow_work *w, int64_t run_ns);

#endif
