/*
 * The planner of saccade meltpool: measures briefly, then picks batch and mapping.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MELTPOOL_CHOOSE_H
#define CLI_MELTPOOL_CHOOSE_H

#include <saccade/meltpool.h>

#include "command.h"

/*
 * Chooses how to run the plan that `desc` describes, which is whole but for that: less than 2 s of
 * measurements on simulated frames of its size, on its device, with its model and options. Sets
 * desc->variant (unless the caller forced one; static strings) and desc->resident, and *batch_max:
 * how many of the frames that wait are to be worked on at once, at most.
 *
 * rate_hz > 0: the lowest latency that sustains this rate with a margin; with budget_us > 0 too,
 * one whose 99th percentile is within so many microseconds. rate_hz = 0 (and budget_us > 0): the
 * most frames a second within the budget.
 *
 * What was chosen, and why, goes to standard error as one line; and to *why without "saccade: ",
 * for reports (free() it; NULL on failure). Where nothing fits: one line with the best that there
 * is. Returns an exit status.
 */
int cli_meltpool_choose(sac_meltpool_desc *desc, int32_t *batch_max, char **why, double rate_hz,
                        double budget_us);

#endif
