/*
 * Inputs of commands that take many: files, patterns in quotes, folders.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include "json.h"

typedef struct cli_inputs {
    char **path; /* (n) */
    int n;
    bool are_many; /* several were named, or a pattern or folder was, whatever it holds: their
                      outputs need a folder */
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

/* Refuses a report over all inputs (NULL: none) where processes share them. An exit status. */
int cli_inputs_check_reports(const cli_command *command, const char *option, const char *path);

/*
 * A command that works file by file. one() does an input on `device`, of several GPUs one of them:
 * its row goes into `json`, which is NULL where there is one input alone that writes its own, or
 * none is wanted. check() refuses a pair
 * before any work is done; may be NULL.
 */
typedef struct cli_many {
    const cli_command *command;
    const char *output; /* -o; NULL: nothing is written */
    const char *format; /* ending of outputs in a folder; NULL: as the inputs have it */
    const char *json;   /* --json; NULL: none */
    sac_device device;
    int32_t n_workers; /* threads a GPU, where several GPUs share the inputs (share.h); 0: two */
    void *ctx;
    bool (*is_series)(const char *output);            /* of pictures with numbers; NULL: none is */
    bool (*is_several)(void *ctx, const char *input); /* pictures come of it; with is_series */
    int (*check)(void *ctx, const char *input, const char *output);
    int (*one)(void *ctx, sac_device device, const char *input, const char *output, cli_json *json);
} cli_many;

/*
 * Names the outputs, makes the folder, does the inputs in their order, writes the JSON of many.
 * Several GPUs share the inputs, where the command does not work on all by itself (shares frames).
 * What one input refuses does not keep the others from being done; Ctrl-C does. Processes that were
 * started together do each its own, where the command shares inputs. Returns the worst exit status.
 */
int cli_inputs_run(const cli_inputs *inputs, const cli_many *many);

#endif
