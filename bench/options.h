/*
 * A benchmark's command line: options by a parameter table, and operands where it takes some.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <saccade/param.h>

#include "command.h"

typedef struct bench_command {
    const char *name; /* as it is called */
    const char *help; /* what --help prints */
    const sac_param_table *table;
    int (*run)(const void *options); /* returns the exit status */
    int most_operands;               /* 0: options alone */
    size_t operands; /* offset in the options: a char **, set to the operands, which NULL ends */
} bench_command;

/* main(): fills `options`, of which the table is, and runs. */
int bench_main(const bench_command *command, void *options, int argc, char **argv);

/* One line on what is wrong with the command line, what and value; returns CLI_USAGE. */
int bench_misuse(const bench_command *command, const char *what, const char *value);

#endif
