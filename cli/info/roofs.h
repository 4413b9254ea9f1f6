/*
 * What the CPU can do at most: copies of memory, and operations on numbers in registers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_INFO_ROOFS_H
#define CLI_INFO_ROOFS_H

#include <saccade/measure.h>

#include "json.h"

enum { CLI_ROOF_SETS = 3 }; /* of instructions */

#define CLI_ROOFS_DIFFER 0.2 /* the rounds of a quiet machine do not differ by so much */

/* [0]: by one thread, [1]: by one per core. */
typedef struct cli_roofs {
    sac_bandwidth copy[2];
    sac_operations work[CLI_ROOF_SETS][2]; /* 0: the CPU lacks the set */
} cli_roofs;

typedef struct cli_roofs_found {
    cli_roofs most; /* of all rounds */
    double differ;  /* by which share of the most the worst round is less, where that is greatest */
    int32_t cores;
} cli_roofs_found;

/* Returns an exit status. */
int cli_roofs_measure(cli_roofs_found *found, int32_t cores);

void cli_roofs_print(const cli_roofs_found *found);

/* The members "bandwidth", "operations" and "rounds_differ". */
void cli_roofs_put(cli_json *json, const cli_roofs_found *found);

#endif
