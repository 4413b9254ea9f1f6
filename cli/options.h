/*
 * Options from parameter tables: parsed, listed in --help, and shown in manual, completion and
 * docs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "command.h"
#include "rows.h"

#define CLI_GO (-1) /* not an exit status: the command shall go on */

/*
 * Fills the descs (each starts with struct_size; NULL where the command has no such table) with
 * defaults, then with what the command line says. Moves the operands to the front: afterwards argv
 * holds argc of them. Returns CLI_GO, or the exit status after --help or an error. `-o` is short
 * for the option that cli_option_is_o takes, `-h` for --help.
 */
int cli_parse(const cli_command *command, void *pipeline_desc, void *own_desc, int *argc,
              char ***argv);

/* Whether the command line that was parsed last has this option. */
bool cli_was_given(const char *name);

/* Calls visit(ctx, param, default as text) for each option of the command, its own first. */
void cli_each_option(const cli_command *command,
                     void (*visit)(void *ctx, const sac_param *param, const char *def), void *ctx);

/* Whether `-o` is short for it: --output, which every command that writes has. */
bool cli_option_is_o(const sac_param *param);

/* "-o, --output OUT", "--clip C". */
void cli_option_head(char *text, size_t size, const sac_param *param);

/* "2 to 65536", "first, max or minmax"; "" where anything goes. */
void cli_option_range(char *text, size_t size, const sac_param *param);

/* What `saccade NAME --help` prints. */
void cli_help(const cli_command *command, FILE *file);

extern const char cli_exit_statuses[]; /* one line, for help and manual */

#endif
