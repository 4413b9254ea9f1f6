/*
 * What every benchmark shares: its command line, by a parameter table, and how it reports.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdio.h>

#include "command.h"
#include "rows.h"

typedef struct bench_command {
    const char *help;                /* what --help prints */
    sac_param_table table;           /* its name is the program's */
    int (*run)(const void *options); /* returns the exit status */
    int most_operands;               /* 0: options alone */
    size_t operands; /* offset in the options: a char **, set to the operands, which NULL ends */
} bench_command;

/* Each bench defines this one; main() fills the options of its table, and runs it. */
extern const bench_command bench_this;

/* One line on what is wrong with the command line, what and value; returns CLI_USAGE. */
int bench_misuse(const char *what, const char *value);

/* Ends the program with a line unless status is SAC_OK. `what` and `err` may be NULL. */
void bench_must(sac_status status, const char *what, const sac_error *err);

/* Whether text goes to standard output: not where the JSON (NULL: none) goes there. */
bool bench_prints(const char *json);

/* Where else the text goes: standard error where the JSON goes to standard output. */
FILE *bench_text(const char *json);

/* For an option --isa best or all: levels of instruction sets. */
enum { BENCH_ISA_BEST, BENCH_ISA_ALL };
extern const char *const bench_isa_names[];

#define BENCH_N_LEVELS 5
extern const char *const bench_level_names[BENCH_N_LEVELS];

/* Whether this CPU has a level; plans that are opened from now on use no more (SAC_CPU_MASK). */
bool bench_use_level(int level);

/* Of work by n threads: the processor's time of one, which others on the machine disturb less; the
 * clock's of several. */
int64_t bench_clock_ns(int32_t n_threads);

/* "2 cores, load average 0.5"; 64 bytes are enough. */
const char *bench_load(char *text, size_t size);

#endif
