/*
 * A small streaming JSON writer, and the envelope that every result is put in.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

#include <saccade/device.h>

#include "command.h"

/* Text collects in memory, what is long in a temporary file, and is written to its file whole, or
 * not at all. */
typedef struct cli_json {
    FILE *file;
    char *text; /* of what is in memory */
    size_t size;
    bool is_spilled; /* file is the temporary one */
    int depth;
    bool filled;  /* the innermost object or array has an element already */
    bool inlined; /* elements follow each other on one line */
} cli_json;

void cli_json_open(cli_json *json);

/* In an object `name` is the member's name; in an array it is NULL. */
void cli_json_object(cli_json *json, const char *name);
void cli_json_array(cli_json *json, const char *name);
void cli_json_end_object(cli_json *json);
void cli_json_end_array(cli_json *json);

/* An element of an array: an object on one line. */
void cli_json_line(cli_json *json);
void cli_json_end_line(cli_json *json);

void cli_json_string(cli_json *json, const char *name, const char *value); /* NULL: null */
void cli_json_int(cli_json *json, const char *name, int64_t value);
void cli_json_uint(cli_json *json, const char *name, uint64_t value);
void cli_json_real(cli_json *json, const char *name, double value); /* null where not finite */
void cli_json_bool(cli_json *json, const char *name, bool value);

/* Members median_ns, p10_ns and p90_ns. */
void cli_json_times(cli_json *json, double median_ns, double p10_ns, double p90_ns);

/* A member that is an array of numbers, on one line. */
void cli_json_uints(cli_json *json, const char *name, const uint64_t *values, int32_t n);

/*
 * {saccade, commit, command, machine, rows}, left open in rows; copy_b_s is the machine's copy
 * bandwidth, 0 where it was not measured. A GPU that the command works on is part of the machine.
 * cli_json_write ends rows and envelope.
 */
void cli_json_open_rows(cli_json *json, double copy_b_s, sac_device device);

/* Rows that are to follow another row: collected on their own, for cli_json_end_row. */
void cli_json_open_part(cli_json *part);

/* Puts the rows of such a part behind those that are there, the first ones included. */
void cli_json_append(cli_json *json, cli_json *part);

/*
 * Rows of jobs that may be several: where *shared is NULL, `own` is opened for this one alone;
 * cli_json_end_row puts the rows of `part` (NULL, or not opened: none) behind the row, writes `own`
 * to `path` and leaves a shared one to its owner. Returns an exit status.
 */
cli_json *cli_json_begin_row(cli_json *own, cli_json *shared, sac_device device);
int cli_json_end_row(cli_json *own, cli_json *shared, cli_json *part, const char *path);

/* Writes the text to `path` ("-": standard output) and frees it. Returns an exit status. */
int cli_json_write(cli_json *json, const char *path);

void cli_json_discard(cli_json *json);

/* cli_json_write, or where path is NULL cli_json_discard. */
int cli_json_end(cli_json *json, const char *path);

#endif
