/*
 * --help, from the parameter tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define HELP_COLUMN 24 /* where the options' texts begin */
#define HELP_WIDTH 79

const char cli_exit_statuses[] =
    "0 done; 1 failed for the data's or the machine's reasons; 2 wrong usage. Errors go to "
    "standard error, one line each.";

/* Prints words from column `at` on, wrapped, each line indented to `indent`. */
static void print_wrapped(FILE *file, const char *text, int at, int indent)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > indent && at + 1 + length > HELP_WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', file);
            at++;
        }
        fprintf(file, "%.*s", length, text);
        at += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

static void print_option(void *ctx, const sac_param *param, const cli_option_text *option)
{
    FILE *file = ctx;
    const char *range = option->range, *def = option->def;
    bool hint = range[0] || def[0];
    char *text =
        cli_text("%s%s%s%s%s%s%s", param->doc, hint ? " (" : "", range,
                 range[0] && def[0] ? "; " : "", def[0] ? "default " : "", def, hint ? ")" : "");
    int at = fprintf(file, "  %s", option->head);
    if (at >= HELP_COLUMN) {
        fputc('\n', file);
        at = 0;
    }
    fprintf(file, "%*s", HELP_COLUMN - at, "");
    print_wrapped(file, text, HELP_COLUMN, HELP_COLUMN);
    free(text);
}

void cli_help(const cli_command *command, FILE *file)
{
    fprintf(file, "saccade %s: %s\n\nUsage: saccade %s %s\n\n%s\n\nExamples:\n", command->name,
            command->summary, command->name, command->usage, command->about);
    for (const char *const *example = command->examples; *example; example += 2) {
        fprintf(file, "  # %s\n  %s\n", example[0], example[1]);
    }
    fputs("\nOptions:\n", file);
    cli_each_option(command, print_option, file);
    fprintf(file, "  %-*sthis text\n", HELP_COLUMN - 2, "-h, --help");
    fputs("\nExit status:\n  ", file);
    print_wrapped(file, cli_exit_statuses, 2, 2);
}
