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

/*
 * What a line says before the form of its command is known: the value of `option`, and the first
 * operand, by the options of all forms; NULL where there is none. Reports nothing, and leaves argv
 * as it is.
 */
void cli_look_ahead(const cli_command *command, int argc, char **argv, const char *option,
                    const char **value, const char **operand);

/* The command whose line was parsed last, for what commands share; NULL before. */
const cli_command *cli_parsed(void);

/* Whether the command line that was parsed last has this option. */
bool cli_was_given(const char *name);

/* "8,8,4", or "8" for 8,1,1, into three axes; NULL leaves them alone. Returns an exit status. */
int cli_launch_axes(uint32_t axes[3], const cli_command *command, const char *option,
                    const char *text);

/* Of `--mtu`, 0: not given. Whether it has room for headers; returns an exit status. And how long
 * datagrams to "udp://HOST:PORT" may be for it, 0: as long as they like. */
int cli_check_mtu(const cli_command *command, int32_t mtu);
int32_t cli_mtu_datagram(const char *to, int32_t mtu);

typedef struct cli_option_text {
    char head[80];   /* "-o, --output OUT", "--clip C" */
    char range[120]; /* "2 to 65536", "first, max or minmax"; "" where anything goes */
    char def[64];    /* the default; "" where there is none */
} cli_option_text;

/* Calls visit for each option of the command, its own first. */
typedef void cli_option_fn(void *ctx, const sac_param *param, const cli_option_text *text);
void cli_each_option(const cli_command *command, cli_option_fn *visit, void *ctx);

/* Whether `-o` is short for it: --output, which every command that writes has. */
bool cli_option_is_o(const sac_param *param);

/* What `saccade NAME --help` prints. */
void cli_help(const cli_command *command, FILE *file);

extern const char cli_exit_statuses[]; /* one line, for help and manual */

#endif
