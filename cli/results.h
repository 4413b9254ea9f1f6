/*
 * The JSON that commands write, read back. A build without cJSON has no results.c: what needs it is
 * replaced as a whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include <stddef.h>

#include <cJSON.h>

/* Of the file's bytes: all of them, with a 0 behind; NULL: it said why not. free() it. */
char *cli_results_bytes(const char *path, size_t *size);

/*
 * The tree of bytes that `what` ("saccade ladder") writes: an envelope with a machine and rows, at
 * most CLI_RESULTS_ROWS objects. NULL: it said in one line what is missing. cJSON_Delete it.
 */
enum { CLI_RESULTS_ROWS = 10000 }; /* a sweep has hundreds */
cJSON *cli_results_parse(const char *path, const char *bytes, size_t size, const char *what);

/* NULL: it has none. Controls, which a terminal would obey, become question marks. */
const char *cli_results_string(const cJSON *object, const char *name);

/* The GPU where it measured one, else the CPU, else "unknown machine". */
const char *cli_results_machine(const cJSON *tree);

#endif
