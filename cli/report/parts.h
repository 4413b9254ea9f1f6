/*
 * Between the report's files: an input, its rows' members, and the sections that show them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_PARTS_H
#define CLI_REPORT_PARTS_H

#include <stdio.h>

#include <saccade/base.h>

#include "results.h"

typedef struct cli_report_input {
    const char *path;
    char *bytes; /* (size) of a picture; NULL of JSON, once it is parsed */
    size_t size;
    const char *picture; /* its type: "image/png"; NULL: it is JSON */
    cJSON *tree;
    bool is_bad; /* a member was not what it has to be, which was said */
} cli_report_input;

enum { CLI_REPORT_SETS = 4 };

/* What a machine was measured to copy, GB/s, and to compute; 0: not known. */
typedef struct cli_report_limits {
    double copy_gb_s, dram_gb_s; /* by the run itself; of a CPU's memory, by `saccade info` */
    struct {
        char name[16];
        double add_g_s;     /* additions of all cores, 1e9/s, by `saccade info` */
    } set[CLI_REPORT_SETS]; /* of instructions */
    size_t n_sets;
    double rounds_differ; /* the rounds of `saccade info`: by this share at most */
    bool is_gpu;
} cli_report_limits;

/* Says, once of an input, what was expected of a member of row i; the input is then bad. */
void cli_report_complain(cli_report_input *in, int i, const char *name, const char *expected);

/*
 * Members of row i. A number is 0 or of a size that something measured can have, and 0 where there
 * is none or it is null; a string that has to be there, or is of another type, makes the input bad,
 * and is then "".
 */
bool cli_report_is_sound(const cJSON *number);
double cli_report_number(cli_report_input *in, const cJSON *row, int i, const char *name);
const char *cli_report_string(cli_report_input *in, const cJSON *row, int i, const char *name);
const char *cli_report_word(cli_report_input *in, const cJSON *row, int i, const char *name,
                            const char *without);
bool cli_report_is(const cJSON *row, const char *name); /* it is true */
bool cli_report_has(const cJSON *row, const char *name);

/* Sections, of all rows of a file of their kind. */
void cli_report_ladder(FILE *page, cli_report_input *in, const cli_report_limits *limits);
void cli_report_curves(FILE *page, cli_report_input *in);
void cli_report_rows(FILE *page, const cli_report_input *in);
void cli_report_picture(FILE *page, const cli_report_input *in);

/* The type of a picture that browsers show, by its first bytes; NULL: it is none. */
const char *cli_report_picture_type(const char *bytes, size_t size);

/* Where a ladder's calls stand against what the machine was measured to do. */
void cli_report_roofs(FILE *page, cli_report_input *in, const cli_report_limits *limits);

#endif
