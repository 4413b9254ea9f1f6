/*
 * The command line of benchmarks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = 16 };

int bench_misuse(const bench_command *command, const char *what, const char *value)
{
    cli_fail("%s%s (see %s --help)", what, value, command->name);
    return CLI_USAGE;
}

/* *status is where it ends here: CLI_DONE after --help. False: it ends here. */
static bool parse(const bench_command *command, void *options, int *status, int argc, char **argv)
{
    struct option longs[MAX_PARAMS + 2] = {{0}};
    const sac_param *params = command->table->params;
    const int n = (int)command->table->n_params;
    sac_error err = {0};
    int found;
    for (int i = 0; i < n && i < MAX_PARAMS; i++)
        longs[i] = (struct option){params[i].name, params[i].type != SAC_PARAM_BOOL, NULL, 256 + i};
    longs[n] = (struct option){"help", no_argument, NULL, 'h'};
    sac_param_defaults(command->table, options);
    opterr = 0;
    while ((found = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        const char *wrong = found == ':' ? "expected a value behind " : "unknown option ";
        if (found == 'h')
            fputs(command->help, stdout);
        *status = found == 'h' ? CLI_DONE : CLI_USAGE;
        if (found == 'h' || (found < 256 && bench_misuse(command, wrong, argv[optind - 1])))
            return false;
        if (sac_param_set(command->table, options, params[found - 256].name,
                          optarg ? optarg : "true", &err)) {
            *status = bench_misuse(command, "--", err.text);
            return false;
        }
    }
    char **operands = argv + optind;
    if (argc - optind > command->most_operands) {
        const char *wrong =
            command->most_operands ? "one operand too many: " : "expected options alone, got ";
        *status = bench_misuse(command, wrong, operands[command->most_operands]);
        return false;
    }
    if (command->most_operands)
        memcpy((char *)options + command->operands, &operands, sizeof operands);
    return true;
}

int bench_main(const bench_command *command, void *options, int argc, char **argv)
{
    int status = CLI_DONE;
    cli_argc = argc;
    cli_argv = cli_grow(NULL, 0, (size_t)argc, sizeof *argv);
    memcpy(cli_argv, argv, (size_t)argc * sizeof *argv); /* getopt_long reorders its own */
    if (parse(command, options, &status, argc, argv))
        status = command->run(options);
    free(cli_argv);
    return status;
}
