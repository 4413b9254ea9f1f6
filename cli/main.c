/*
 * The command `saccade`: finds the subcommand and runs it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>

#include "command.h"
#include "listening.h"
#include "nearest.h"
#include "ranks/ranks.h"

const cli_command *const cli_commands[] = {
    &cli_equalize,     &cli_beamform, &cli_flow,    &cli_convert, &cli_simulate, &cli_measure,
    &cli_heatmap,      &cli_noise,    &cli_denoise, &cli_adjust,  &cli_delta,    &cli_live_send,
    &cli_live_receive, &cli_meltpool, &cli_view,    &cli_ladder,  &cli_jitter,   &cli_info,
    &cli_tune,         &cli_report,   &cli_demo,    NULL};

enum { MOST_COMMANDS = 32 };

static int print_help(void)
{
    puts("saccade: sensor samples into pictures and decisions, in real time\n"
         "Usage: saccade COMMAND [OPTION]... [OPERAND]...\n\nCommands:");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("  %-10s %s", (*command)->name, (*command)->summary);
        while ((*command)->also) {
            printf("; %s", (*command++)->also);
        }
        puts("");
    }
    puts("\n  saccade COMMAND --help describes a command, saccade --version the build.\n"
         "  saccade demo            # try it on real photographs");
    return CLI_DONE;
}

static int print_version(void)
{
    sac_build build = cli_build();
    printf("saccade %s (%s)\n", build.version, build.commit);
    return CLI_DONE;
}

static int unknown(const char *name)
{
    const char *names[MOST_COMMANDS] = {"--help", "--version"};
    int n = 2;
    for (const cli_command *const *command = cli_commands; *command && n < MOST_COMMANDS;
         command++) {
        names[n++] = (*command)->name;
    }
    const char *nearest = cli_nearest(name, names, n);
    return cli_misuse(NULL, "unknown %s %s%s%s%s", name[0] == '-' ? "option" : "command", name,
                      nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* By one process, or by several that a launcher has started. */
static int run_shared(const cli_command *command, int argc, char **argv)
{
    const cli_command *form = command->next && cli_is_to_listen(argc, argv) ? command->next
                              : argc > 1 && !strcmp(argv[1], "calibrate")
                                  ? &cli_meltpool_calibration
                                  : command;
    const int status = cli_ranks_open(form, argc, argv);
    return cli_ranks_close(status ? status : command->run(argc, argv));
}

static int run_command(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        return cli_misuse(NULL, "no command given");
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        return print_help();
    }
    if (!strcmp(name, "--version")) {
        return print_version();
    }
    if (!strcmp(name, "reference")) {
        return cli_reference(argc - 1, argv + 1);
    }
    for (const cli_command *const *command = cli_commands; *command; command++) {
        if (!strcmp(name, (*command)->name)) {
            return run_shared(*command, argc - 1, argv + 1);
        }
    }
    return unknown(name);
}

int main(int argc, char **argv)
{
    cli_argc = argc;
    cli_argv = cli_grow(NULL, 0, (size_t)argc, sizeof *argv);
    memcpy(cli_argv, argv, (size_t)argc * sizeof *argv); /* getopt_long reorders its own */
    sac_io_quiet();                                      /* an error is one line, and ours */
    int status = run_command(argc, argv);
    free(cli_argv);
    /* A full disk behind standard output is a failure too; a closed pipe has heard enough. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CLI_DONE) {
        return errno == EPIPE ? CLI_FAILED : cli_fail("standard output: %s", strerror(errno));
    }
    return status;
}
