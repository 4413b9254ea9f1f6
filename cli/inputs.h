/*
 * Inputs of commands that take many: files, patterns in quotes, folders.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "command.h"

typedef struct cli_inputs {
    char **path; /* (n) */
    int n;
    bool are_many; /* several were named, or a pattern or folder was, whatever it holds */
} cli_inputs;

/*
 * What the operands stand for: a file (there or not) and "-" for itself; a pattern with *, ? or [
 * for the files that it finds; a folder for the files in it with one of `endings` (".h5", ...;
 * ends with NULL), both sorted by name. `endings` NULL: a folder stands for itself. A pattern or
 * folder that finds nothing is refused. Returns an exit status; close it after CLI_DONE.
 */
int cli_inputs_open(cli_inputs *inputs, const cli_command *command, char **operands, int n,
                    const char *const *endings);
void cli_inputs_close(cli_inputs *inputs);

/*
 * Where each input's output goes: cli_outputs_name, but many inputs need a folder even where a
 * pattern found one file alone. *out has inputs->n names, for cli_outputs_free.
 */
int cli_inputs_outputs(char ***out, const cli_command *command, const cli_inputs *inputs,
                       const char *output, const char *format);

/*
 * Calls one(ctx, input, output) for each input (outputs NULL: none), in their order. What one
 * refuses does not keep the others from being done; returns the worst exit status.
 */
int cli_inputs_each(const cli_inputs *inputs, char *const *outputs,
                    int (*one)(void *ctx, const char *input, const char *output), void *ctx);

#endif
