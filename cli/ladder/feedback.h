/*
 * What rungs take of a GPU besides time, and frames in parallel, as tables and as members of JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LADDER_FEEDBACK_H
#define CLI_LADDER_FEEDBACK_H

#include <saccade/ladder.h>

#include "json.h"
#include "tables.h"

enum { CLI_PARALLEL_ROWS = 6 /* 1, 2, 4 .. 32 frames at once */ };

typedef struct cli_ladder_feedback {
    cli_table table;
    double idle_watts;
    /* Frames a second of grid-sync-N and persistent-N; 0 where they were not timed. */
    double hz[CLI_PARALLEL_ROWS][2];
} cli_ladder_feedback;

void cli_ladder_begin_feedback(cli_ladder_feedback *f);

/* A row on a GPU: adds what is known. */
void cli_ladder_add_feedback(cli_ladder_feedback *f, const sac_ladder_row *row);

/* Prints the tables that have rows, and empties them. */
void cli_ladder_print_feedback(cli_ladder_feedback *f, FILE *file);

/* Members of the row's object. */
void cli_ladder_put_feedback(cli_json *json, const sac_ladder_row *row);

#endif
