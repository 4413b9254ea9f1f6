/*
 * What `saccade ladder` shares with its sweeps over launch shapes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LADDER_SWEEP_H
#define CLI_LADDER_SWEEP_H

#include <saccade/ladder.h>

#include "json.h"

/*
 * One rung in every launch shape of Duong, "Programmation GPU" (2024), Tables 3 to 6: a table
 * beside his, rows into `json_path`, time against threads into `plot_path`; both may be NULL.
 * desc->only NULL: the chain by way of HSV planes. Returns an exit status.
 */
int cli_ladder_sweep(const char *pipeline, const sac_ladder_desc *desc, const char *json_path,
                     const char *plot_path);

/*
 * One rung in one block of 4, 8 .. 1024 threads: the sweep of Battilana's report. A table, rows
 * into `json_path`, times against threads into `plot_path`; both may be NULL. desc->only NULL: the
 * report's program. Returns an exit status.
 */
int cli_ladder_sweep_threads(const char *pipeline, const sac_ladder_desc *desc,
                             const char *json_path, const char *plot_path);

/* A sweep's end: its rows into `json_path` (may be NULL), or why it failed. Returns an exit status.
 */
int cli_ladder_end_sweep(sac_status st, const sac_error *err, cli_json *json, const char *json_path,
                         int n_failed);

#endif
