/*
 * Rungs as rows of tables and of JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LADDER_RUNGS_H
#define CLI_LADDER_RUNGS_H

#include <saccade/ladder.h>
#include <saccade/measure.h>

#include "bars.h"
#include "feedback.h"
#include "json.h"
#include "progress.h"
#include "tables.h"

typedef struct cli_ladder_rows {
    sac_bandwidth one, all; /* copy bandwidth with one thread, with n_threads */
    int32_t n_threads;
    cli_progress progress;
    cli_table table, legs; /* legs: on a GPU, a frame's way there, the kernel, and its way back */
    cli_ladder_feedback feedback; /* on a GPU: what else they take of it */
    cli_table published;
    cli_ladder_bars *bars; /* that collect; NULL: none do */
    cli_json json;
    bool on_gpu;
    bool as_json, as_table;
    const char *task;         /* that was asked for; NULL: each room's first */
    char title[192];          /* of the table that collects: room, shape, threads */
    char room[64], first[64]; /* a room's first rung */
    double first_ns;          /* median of the room's first timed rung */
    int n_rows, n_failed;
} cli_ladder_rows;

/* A rung as a row of JSON; task may be NULL. copy_b_s is what its bandwidth is a share of; 0: none
 * is known. */
void cli_ladder_put_row(cli_json *json, const sac_ladder_row *row, const char *task,
                        double copy_b_s);

/* Its published times, there and in a table of their own: begin, fill with rows, print. */
void cli_ladder_put_published(cli_json *json, const sac_ladder_row *row);
void cli_ladder_begin_published(cli_table *table);
void cli_ladder_fill_published(cli_table *table, const sac_ladder_row *row);
void cli_ladder_print_published(cli_table *table);

/* Tables of rungs, a new one where room, shape or threads change: begin, then a call of take_row,
 * whose context is the cli_ladder_rows, for each rung, which it puts into the JSON too; end. */
void cli_ladder_begin_table(cli_ladder_rows *l);
void cli_ladder_take_row(void *ctx, const sac_ladder_row *row);
void cli_ladder_end_table(cli_ladder_rows *l);

#endif
