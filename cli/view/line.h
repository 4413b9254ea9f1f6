/*
 * The command line that writes what is looked at, as viewers see and copy it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_LINE_H
#define CLI_VIEW_LINE_H

#include <stdio.h>

#include <saccade/param.h>

/* A line in memory, to be written into `file`; end returns its text: free() it. */
typedef struct view_line {
    FILE *file;
    char *text;
    size_t size;
} view_line;

void view_line_begin(view_line *line);
char *view_line_end(view_line *line);

/* " --name value", quoted for a shell where it must be; either may be NULL. */
void view_line_put(FILE *file, const char *name, const char *value);

/* An operand: one that begins with - would be taken for an option; "-" itself is standard input. */
void view_line_input(FILE *file, const char *path);

/* Each option of a desc that is not the default, but `without` (NULL: none). */
void view_line_options(FILE *file, const sac_param_table *table, const void *desc,
                       const char *without);

#endif
